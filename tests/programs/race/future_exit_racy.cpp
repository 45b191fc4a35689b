/*
 * The promise is kept when its thread ends, but another thread writes the data.
 *
 * CC: c++17
 * RUN: run --seed 1..5
 * EXPECT: race 'late' @other @main
 */
#include <future>
#include <thread>

static std::promise<int> promise;
int late; /* not static: the compiler must not know all its values */

static void produce()
{
	promise.set_value_at_thread_exit(1);
}

static void other()
{
	late = 42;
}

int main()
{
	std::future<int> future = promise.get_future();
	std::thread t(produce), u(other);
	int seen;

	future.wait();
	seen = late;
	t.join();
	u.join();
	return seen < 0;
}
