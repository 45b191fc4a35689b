/*
 * A thread waits for a plain variable, which is wrong but ends on most machines:
 * without optimisation the loop reads it each time.
 *
 * CC: -O0
 * RUN: run --races no --seed 1..20
 * EXPECT: clean
 * RUN: run --races no --policy pct --seed 1..20
 * EXPECT: clean
 * RUN: run --races no --policy rr
 * EXPECT: clean
 */
#include "../program.h"

static int flag;

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
