/*
 * A static local variable is complete for everyone who comes by, whoever made it.
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
#include <string>
#include <thread>

static const std::string &get()
{
	static const std::string text(100, 'x');
	return text;
}

static void use()
{
	assert(get().size() == 100 && get()[99] == 'x');
}

int main()
{
	std::thread a(use), b(use), c(use);

	a.join();
	b.join();
	c.join();
	return 0;
}
