/*
 * A thread waits by looking at the clock: time must pass for it.
 *
 * RUN: run --seed 1..5
 * EXPECT: clean
 * RUN: run --policy pct --seed 1..5
 * EXPECT: clean
 */
#include "../program.h"

static void *wait_a_second(void *arg)
{
	int64_t until = now_ns(CLOCK_MONOTONIC) + NS_PER_S;

	while (now_ns(CLOCK_MONOTONIC) < until)
		;
	return NULL;
}

int main(void)
{
	pthread_t t = start(wait_a_second, NULL), u = start(wait_a_second, NULL);

	finish(t);
	finish(u);
	return 0;
}
