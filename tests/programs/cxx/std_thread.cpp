/*
 * std::thread, mutex, lock_guard, recursive_mutex, timed_mutex, shared_mutex.
 *
 * CC: c++17
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include <cassert>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

static std::mutex m;
static std::recursive_mutex recursive;
static std::timed_mutex timed;
static std::shared_mutex shared;
static int total;

static void add()
{
	for (int i = 0; i < 10; i++) {
		std::lock_guard<std::mutex> guard(m);
		int before = total;

		std::this_thread::yield();
		total = before + 1;
	}
}

static void others()
{
	using namespace std::chrono_literals;
	auto before = std::chrono::steady_clock::now();

	assert(!m.try_lock());
	assert(!recursive.try_lock());
	assert(!timed.try_lock_for(1h));
	assert(std::chrono::steady_clock::now() - before >= 1h);
	assert(!timed.try_lock_until(std::chrono::system_clock::now() + 1h));
	assert(shared.try_lock_shared());
	shared.unlock_shared();
	assert(!shared.try_lock());
}

int main()
{
	std::vector<std::thread> threads;

	for (int i = 0; i < 3; i++)
		threads.emplace_back(add);
	for (auto &t : threads)
		t.join();
	assert(total == 30);
	{
		std::scoped_lock all(m, recursive, timed);
		std::lock_guard<std::recursive_mutex> again(recursive);
		std::shared_lock<std::shared_mutex> reading(shared);

		std::thread(others).join();
	}
	assert(m.try_lock() && timed.try_lock() && shared.try_lock());
	return 0;
}
