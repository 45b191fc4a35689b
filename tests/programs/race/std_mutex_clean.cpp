/*
 * Guards of every kind over a std::mutex, and what a thread was given by its creator.
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
#include <mutex>
#include <string>
#include <thread>

static std::mutex lock;
static int total;

static void add(const std::string &text)
{
	std::unique_lock<std::mutex> guard(lock);

	total += (int)text.size();
}

int main()
{
	std::thread t(add, std::string("a string that is too long to lie in the object"));
	{
		std::scoped_lock guard(lock);
		total++;
	}
	t.join();
	assert(total == 47);
	return 0;
}
