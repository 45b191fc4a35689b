/*
 * A lock by test and test-and-set, whose losers sleep for longer and longer.
 *
 * RUN: run --seed 1..10
 * EXPECT: clean
 * RUN: run --policy pct --seed 1..10
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 */
#include "../program.h"
#include <stdatomic.h>

static atomic_int taken;
static int total;

static void lock(void)
{
	unsigned pause = 1;

	while (atomic_load(&taken) || atomic_exchange(&taken, 1)) {
		usleep(pause);
		pause = pause < 1000 ? 2 * pause : pause;
	}
}

static void *add(void *arg)
{
	for (int i = 0; i < 10; i++) {
		lock();
		total++;
		atomic_store(&taken, 0);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		t[i] = start(add, NULL);
	for (int i = 0; i < 3; i++)
		finish(t[i]);
	assert(total == 30);
	return 0;
}
