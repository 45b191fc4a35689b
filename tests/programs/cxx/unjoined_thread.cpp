/*
 * A joinable std::thread is destroyed: std::terminate.
 *
 * CC: c++17
 * RUN: run --seed 1..5
 * EXPECT: crash SIGABRT @main
 * EXIT: SIGABRT
 */
#include <thread>

int main()
{
	std::thread t([] {});

	return 0;
}
