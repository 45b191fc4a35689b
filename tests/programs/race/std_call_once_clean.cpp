/*
 * What std::call_once made is there for everyone who called it.
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
#include <thread>

static std::once_flag once;
static int table;

static void use()
{
	std::call_once(once, [] { table = 42; });
	assert(table == 42);
}

int main()
{
	std::thread a(use), b(use);

	use();
	a.join();
	b.join();
	return 0;
}
