/*
 * The same without sched_yield: only loads.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --seed 1..20
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 * RUN: run --switch-at sync --seed 1..10
 * EXPECT: clean
 */
#include "../program.h"
#include <stdatomic.h>

static atomic_int flag;

static void *set(void *arg)
{
	atomic_store_explicit(&flag, 1, memory_order_release);
	return NULL;
}

int main(void)
{
	pthread_t t = start(set, NULL);

	while (!atomic_load_explicit(&flag, memory_order_acquire))
		;
	finish(t);
	return 0;
}
