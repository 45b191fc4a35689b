/*
 * Data handed over with a relaxed std::atomic.
 *
 * CC: c++17
 * RUN: run --seed 1..5
 * EXPECT: race 'data' @produce @main
 */
#include <atomic>
#include <thread>

static std::atomic<bool> flag;
int data; /* not static: the compiler must not know all its values */

static void produce()
{
	data = 42;
	flag.store(true, std::memory_order_relaxed);
}

int main()
{
	std::thread t(produce);
	int seen;

	while (!flag.load(std::memory_order_relaxed))
		;
	seen = data;
	t.join();
	return seen < 0;
}
