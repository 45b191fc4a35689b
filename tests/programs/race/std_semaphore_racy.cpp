/*
 * The std::binary_semaphore is released before the data is written.
 *
 * CC: c++20
 * RUN: run --seed 1..5
 * EXPECT: race 'data' @produce @main
 */
#include <semaphore>
#include <thread>

static std::binary_semaphore full(0);
int data; /* not static: the compiler must not know all its values */

static void produce()
{
	full.release();
	data = 42;
}

int main()
{
	std::thread t(produce);
	int seen;

	full.acquire();
	seen = data;
	t.join();
	return seen < 0;
}
