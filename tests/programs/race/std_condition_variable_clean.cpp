/*
 * Data handed over with a condition variable.
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
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static bool ready;
static int data;

int main()
{
	std::thread t([] {
		std::unique_lock<std::mutex> guard(lock);
		changed.wait(guard, [] { return ready; });
		guard.unlock();
		assert(data == 42);
	});

	data = 42;
	{
		std::lock_guard<std::mutex> guard(lock);
		ready = true;
	}
	changed.notify_one();
	t.join();
	return 0;
}
