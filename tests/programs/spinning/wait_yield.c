/*
 * A thread waits for an atomic flag with sched_yield: it must see the flag, under
 * every policy.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --seed 1..20
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 */
#include "../program.h"
#include <stdatomic.h>

static atomic_int flag;

static void *set(void *arg)
{
	for (int i = 0; i < 100; i++)
		sched_yield();
	atomic_store(&flag, 1);
	return NULL;
}

int main(void)
{
	pthread_t t = start(set, NULL);

	while (!atomic_load(&flag))
		sched_yield();
	finish(t);
	return 0;
}
