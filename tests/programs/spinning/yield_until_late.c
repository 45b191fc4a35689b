/*
 * A thread yields until it is late enough: its state is the same in every round, but for the time.
 *
 * RUN: run --seed 1..10
 * EXPECT: clean
 * RUN: run --policy pct --seed 1..10
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 */
#include "../program.h"
#include <sched.h>

static void *wait_a_minute(void *arg)
{
	int64_t until = now_ns(CLOCK_MONOTONIC) + 60 * NS_PER_S;

	while (now_ns(CLOCK_MONOTONIC) < until)
		sched_yield();
	return NULL;
}

int main(void)
{
	pthread_t t = start(wait_a_minute, NULL), u = start(wait_a_minute, NULL);

	finish(t);
	finish(u);
	return 0;
}
