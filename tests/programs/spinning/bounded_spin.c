/*
 * A thread polls a bounded number of times and then gives up: a long loop without
 * progress that is no livelock.
 *
 * RUN: run --seed 1..5
 * EXPECT: clean
 * OUTPUT: gave up after 100000
 */
#include "../program.h"
#include <stdatomic.h>

static atomic_int flag;

static void *poll_it(void *arg)
{
	int i;

	for (i = 0; i < 100000 && !atomic_load(&flag); i++)
		sched_yield();
	printf("gave up after %d\n", i);
	return NULL;
}

int main(void)
{
	finish(start(poll_it, NULL));
	return 0;
}
