/*
 * Peterson's algorithm with sequentially consistent atomics excludes.
 *
 * RUN: run --seed 1..30
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 200 --seed 1..20
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 */
#include "../program.h"
#include <stdatomic.h>

static atomic_int wants[2], turn;
static int inside, total;

static void *work(void *arg)
{
	int me = (int)(intptr_t)arg, other = 1 - me;

	for (int i = 0; i < 10; i++) {
		atomic_store(&wants[me], 1);
		atomic_store(&turn, other);
		while (atomic_load(&wants[other]) && atomic_load(&turn) == other)
			;
		assert(inside++ == 0);
		sched_yield();
		total++;
		assert(--inside == 0);
		atomic_store(&wants[me], 0);
	}
	return NULL;
}

int main(void)
{
	pthread_t t = start(work, (void *)0), u = start(work, (void *)1);

	finish(t);
	finish(u);
	assert(total == 20);
	return 0;
}
