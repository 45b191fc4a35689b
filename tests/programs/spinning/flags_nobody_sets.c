/*
 * Two threads wait for flags that each sets only afterwards: a livelock, reported at
 * once and not waited for.
 *
 * RUN: run --seed 1..10
 * EXPECT: livelock @wait_then_set
 * RUN: run --policy pct --seed 1..10
 * EXPECT: livelock @wait_then_set
 * RUN: run --policy rr
 * EXPECT: livelock @wait_then_set
 */
#include "../program.h"
#include <stdatomic.h>

static atomic_int flags[2];

static void *wait_then_set(void *arg)
{
	int me = (int)(intptr_t)arg;

	while (!atomic_load(&flags[1 - me]))
		sched_yield();
	atomic_store(&flags[me], 1);
	return NULL;
}

int main(void)
{
	pthread_t t = start(wait_then_set, (void *)0), u = start(wait_then_set, (void *)1);

	finish(t);
	finish(u);
	return 0;
}
