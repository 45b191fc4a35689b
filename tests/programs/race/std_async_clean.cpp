/*
 * Results of std::async, with an exception among them.
 *
 * CC: c++17
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include <cassert>
#include <future>
#include <stdexcept>

static int data[2];

static int work(int i)
{
	data[i] = i + 1;
	if (i == 1)
		throw std::runtime_error("no result");
	return data[i];
}

int main()
{
	std::future<int> a = std::async(std::launch::async, work, 0);
	std::future<int> b = std::async(std::launch::async, work, 1);

	assert(a.get() == 1 && data[0] == 1);
	try {
		b.get();
		assert(!"b has a result");
	} catch (const std::runtime_error &) {
		assert(data[1] == 2);
	}
	return 0;
}
