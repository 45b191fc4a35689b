/*
 * An exception leaves a thread's function: std::terminate.
 *
 * CC: c++17
 * RUN: run --seed 1..5
 * EXPECT: crash SIGABRT @thrower
 * EXIT: SIGABRT
 */
#include <stdexcept>
#include <thread>

static void thrower()
{
	throw std::runtime_error("nobody catches me");
}

int main()
{
	std::thread(thrower).join();
	return 0;
}
