/*
 * The main thread reads without std::call_once.
 *
 * CC: c++17
 * RUN: run --seed 1..5
 * EXPECT: race 'table' @fill @main
 */
#include <mutex>
#include <thread>

static std::once_flag once;
int table; /* not static: the compiler must not know all its values */

static void fill()
{
	table = 42;
}

int main()
{
	std::thread t([] { std::call_once(once, fill); });
	int seen = table;

	t.join();
	return seen < 0;
}
