/*
 * The latch is counted down before the data is written.
 *
 * CC: c++20
 * RUN: run --seed 1..5
 * EXPECT: race 'data' @work @main
 */
#include <latch>
#include <thread>

static std::latch done(1);
int data; /* not static: the compiler must not know all its values */

static void work()
{
	done.count_down();
	data = 42;
}

int main()
{
	std::thread t(work);
	int seen;

	done.wait();
	seen = data;
	t.join();
	return seen < 0;
}
