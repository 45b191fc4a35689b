/*
 * Readers share, the writer does not.
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
#include <shared_mutex>
#include <thread>

static std::shared_mutex lock;
static int price;

static void look()
{
	std::shared_lock<std::shared_mutex> guard(lock);
	assert(price <= 1);
}

int main()
{
	std::thread a(look), b(look);
	{
		std::unique_lock<std::shared_mutex> guard(lock);
		price++;
	}
	a.join();
	b.join();
	return 0;
}
