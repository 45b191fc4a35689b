/*
 * To wait and to notify order nothing where the atomic's own operations are relaxed.
 *
 * CC: c++20
 * RUN: run --seed 1..5
 * EXPECT: race 'data' @produce @main
 */
#include <atomic>
#include <thread>

static std::atomic<int> flag;
int data; /* not static: the compiler must not know all its values */

static void produce()
{
	data = 42;
	flag.store(1, std::memory_order_relaxed);
	flag.notify_one();
}

int main()
{
	std::thread t(produce);
	int seen;

	flag.wait(0, std::memory_order_relaxed);
	seen = data;
	t.join();
	return seen < 0;
}
