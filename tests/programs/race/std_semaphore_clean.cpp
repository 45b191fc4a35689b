/*
 * Data handed over by a std::binary_semaphore.
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
#include <semaphore>
#include <thread>

static std::binary_semaphore full(0), empty(1);
static int data;

static void produce()
{
	for (int i = 1; i <= 3; i++) {
		empty.acquire();
		data = i;
		full.release();
	}
}

int main()
{
	std::thread t(produce);

	for (int i = 1; i <= 3; i++) {
		full.acquire();
		assert(data == i);
		empty.release();
	}
	t.join();
	return 0;
}
