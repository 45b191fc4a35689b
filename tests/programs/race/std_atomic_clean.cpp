/*
 * Data handed over with std::atomic: a store and a load, and a fetch_add that is both.
 *
 * CC: c++17
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

static std::atomic<bool> flag;
static std::atomic<int> tickets;
static int data, second;

static void produce()
{
	data = 42;
	flag = true;
	second = 43;
	tickets.fetch_add(1, std::memory_order_acq_rel);
}

int main()
{
	std::thread t(produce);

	while (!flag.load(std::memory_order_acquire))
		;
	assert(data == 42);
	while (tickets.fetch_add(0, std::memory_order_acq_rel) == 0)
		;
	assert(second == 43);
	t.join();
	return 0;
}
