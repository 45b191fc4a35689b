/*
 * Constructors of global objects come to scheduling points before main does: the streams' (their locales are made
 * once), and one that takes a lock.
 *
 * CC: c++17
 * RUN: run --seed 1..10
 * EXPECT: clean
 */
#include <iostream>
#include <mutex>
#include <thread>

static std::mutex lock;

struct first {
	int value;

	first()
	{
		std::lock_guard<std::mutex> guard(lock);

		value = 1;
	}
};

static first global;

static void add()
{
	std::lock_guard<std::mutex> guard(lock);

	global.value++;
}

int main()
{
	std::thread t(add);

	add();
	t.join();
	std::cout << global.value << "\n";
	return 0;
}
