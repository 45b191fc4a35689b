/*
 * std::scoped_lock takes several mutexes in any order without deadlock or livelock.
 *
 * CC: c++17
 * RUN: run --seed 1..50
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 50 --seed 1..20
 * EXPECT: clean
 */
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex a, b;
static int both;

static void take(std::mutex &first, std::mutex &second)
{
	for (int i = 0; i < 5; i++) {
		std::scoped_lock lock(first, second);

		both++;
	}
}

int main()
{
	std::thread t(take, std::ref(a), std::ref(b)), u(take, std::ref(b), std::ref(a));

	t.join();
	u.join();
	assert(both == 10);
	return 0;
}
