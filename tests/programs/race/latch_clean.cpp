/*
 * Data handed over by a std::latch.
 *
 * CC: c++20
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include <cassert>
#include <latch>
#include <thread>

static std::latch done(2);
static int data[2];

static void work(int i)
{
	data[i] = i + 1;
	done.count_down();
}

int main()
{
	std::thread a(work, 0), b(work, 1);

	done.wait();
	assert(data[0] == 1 && data[1] == 2);
	a.join();
	b.join();
	return 0;
}
