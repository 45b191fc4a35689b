/*
 * Peterson's algorithm with the turn given away too early.
 *
 * RUN: run --races no
 * EXPECT: assertion inside @work:CHECK within 100 seeds
 */
#include "../program.h"
#include <stdatomic.h>

static atomic_int wants[2], turn;
static int inside;

static void *work(void *arg)
{
	int me = (int)(intptr_t)arg, other = 1 - me;

	for (int i = 0; i < 10; i++) {
		atomic_store(&turn, other);
		atomic_store(&wants[me], 1);
		while (atomic_load(&wants[other]) && atomic_load(&turn) == other)
			;
		assert(inside++ == 0); /* CHECK */
		sched_yield();
		inside--;
		atomic_store(&wants[me], 0);
	}
	return NULL;
}

int main(void)
{
	pthread_t t = start(work, (void *)0), u = start(work, (void *)1);

	finish(t);
	finish(u);
	return 0;
}
