/*
 * A thread spins until another one wakes up from a sleep: time must pass although
 * somebody can always run.
 *
 * RUN: run --seed 1..10
 * EXPECT: clean
 * RUN: run --policy pct --seed 1..10
 * EXPECT: clean
 */
#include "../program.h"
#include <stdatomic.h>

static atomic_int flag;

static void *sleep_then_set(void *arg)
{
	sleep(3600);
	atomic_store(&flag, 1);
	return NULL;
}

int main(void)
{
	pthread_t t = start(sleep_then_set, NULL);

	while (!atomic_load(&flag))
		sched_yield();
	finish(t);
	return 0;
}
