/*
 * A round of the std::barrier is missing.
 *
 * CC: c++20
 * RUN: run --seed 1..5
 * EXPECT: race 'cells[ @step
 */
#include <barrier>
#include <thread>

static std::barrier barrier(2);
int cells[2]; /* not static: the compiler must not know all its values */

static void step(int me)
{
	int seen;

	cells[me] = 1;
	barrier.arrive_and_wait();
	seen = cells[1 - me];
	cells[me] = seen + 1;
}

int main()
{
	std::thread a(step, 0), b(step, 1);

	a.join();
	b.join();
	return 0;
}
