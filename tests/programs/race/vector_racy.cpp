/*
 * Two threads append to one std::vector.
 *
 * CC: c++17
 * RUN: run --seed 1..5
 * EXPECT: race @add
 */
#include <thread>
#include <vector>

static std::vector<int> list;

static void add()
{
	list.push_back(1);
}

int main()
{
	list.reserve(8);
	std::thread a(add), b(add);

	a.join();
	b.join();
	return 0;
}
