/*
 * Fifty threads, each with a byte of its own: to share a cache line is no race.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static char slots[50];

static void *work(void *arg)
{
	for (int i = 0; i < 3; i++) {
		(*(char *)arg)++;
		sched_yield();
	}
	return NULL;
}

int main(void)
{
	pthread_t t[50];

	for (int i = 0; i < 50; i++)
		t[i] = start(work, &slots[i]);
	for (int i = 0; i < 50; i++) {
		finish(t[i]);
		assert(slots[i] == 3);
	}
	return 0;
}
