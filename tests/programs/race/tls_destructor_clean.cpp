/*
 * Thread-local objects are destroyed by their threads; what that did is there after the join.
 *
 * CC: c++17
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include <thread>
#include <vector>

static int sums[2];

struct tally {
	std::vector<int> parts;
	int slot = 0;
	~tally()
	{
		sums[slot] += parts[0] + parts[1];
	}
};

static thread_local tally mine;

static void work(int slot)
{
	mine.slot = slot;
	mine.parts = {1, slot};
}

int main()
{
	std::thread a(work, 0), b(work, 1);

	a.join();
	b.join();
	return sums[0] + sums[1] - 3;
}
