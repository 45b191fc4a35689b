/*
 * A thread waits for a volatile variable: no scheduling point in the loop, so the
 * quantum of accesses ends its turn.
 *
 * RUN: run --races no --seed 1..20
 * EXPECT: clean
 * RUN: run --races no --policy pct --seed 1..20
 * EXPECT: clean
 * RUN: run --races no --policy rr
 * EXPECT: clean
 * RUN: run --races no --switch-at sync --seed 1..10
 * EXPECT: clean
 * RUN: run --races no --switch-at accesses --seed 1..10
 * EXPECT: clean
 */
#include "../program.h"

static volatile int flag;

static void *set(void *arg)
{
	flag = 1;
	return NULL;
}

int main(void)
{
	pthread_t t = start(set, NULL);

	while (!flag)
		;
	finish(t);
	return 0;
}
