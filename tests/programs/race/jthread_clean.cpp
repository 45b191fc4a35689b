/*
 * A std::jthread is asked to stop and joined by its destructor.
 *
 * CC: c++20
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include <cassert>
#include <thread>

static int rounds, before;

int main()
{
	before = 1;
	{
		std::jthread t([](std::stop_token stop) {
			rounds = before;
			while (!stop.stop_requested())
				std::this_thread::yield();
			rounds++;
		});
	}
	assert(rounds == 2);
	return 0;
}
