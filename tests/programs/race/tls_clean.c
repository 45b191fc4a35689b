/*
 * Each thread has its own thread-local variable, also where another one's was before.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static __thread int mine;

static void *count(void *arg)
{
	for (int i = 0; i < 3; i++) {
		mine++;
		sched_yield();
	}
	assert(mine == 3);
	return NULL;
}

int main(void)
{
	for (int round = 0; round < 3; round++) {
		pthread_t a = start(count, NULL), b = start(count, NULL);

		mine++;
		finish(a);
		finish(b);
	}
	assert(mine == 3);
	return 0;
}
