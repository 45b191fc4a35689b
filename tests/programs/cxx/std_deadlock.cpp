/*
 * lock_guards in opposite orders; std::scoped_lock in scoped_lock_any_order.cpp does
 * not mind.
 *
 * CC: c++17
 * RUN: run
 * EXPECT: deadlock @take within 20 seeds
 */
#include <mutex>
#include <thread>

static std::mutex a, b;

static void take(std::mutex &first, std::mutex &second)
{
	std::lock_guard<std::mutex> one(first);
	std::lock_guard<std::mutex> two(second);
}

int main()
{
	std::thread t(take, std::ref(a), std::ref(b)), u(take, std::ref(b), std::ref(a));

	t.join();
	u.join();
	return 0;
}
