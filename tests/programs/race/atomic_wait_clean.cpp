/*
 * Data handed over by an atomic that one waits for and the other notifies.
 *
 * CC: c++20
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> flag;
static int data;

static void produce()
{
	data = 42;
	flag.store(1, std::memory_order_release);
	flag.notify_one();
}

int main()
{
	std::thread t(produce);

	flag.wait(0, std::memory_order_acquire);
	assert(data == 42);
	t.join();
	return 0;
}
