/*
 * Two rounds of a std::barrier part writing, reading and writing again.
 *
 * CC: c++20
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include <barrier>
#include <cassert>
#include <thread>

static std::barrier barrier(2);
static int cells[2];

static void step(int me)
{
	int seen;

	cells[me] = 1;
	barrier.arrive_and_wait();
	seen = cells[1 - me];
	barrier.arrive_and_wait();
	cells[me] = seen + 1;
}

int main()
{
	std::thread a(step, 0), b(step, 1);

	a.join();
	b.join();
	assert(cells[0] == 2 && cells[1] == 2);
	return 0;
}
