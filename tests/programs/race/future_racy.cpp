/*
 * The promise is kept before the data is written.
 *
 * CC: c++17
 * RUN: run --seed 1..5
 * EXPECT: race 'late' @produce @main
 */
#include <future>
#include <thread>

static std::promise<int> promise;
int late; /* not static: the compiler must not know all its values */

static void produce()
{
	promise.set_value(1);
	late = 42;
}

int main()
{
	std::future<int> future = promise.get_future();
	std::thread t(produce);
	int seen;

	future.wait();
	seen = late;
	t.join();
	return seen < 0;
}
