/*
 * A thread waits for a timer, and reads what was written after the timer was set: that it takes a
 * second orders nothing. What was written before is known.
 *
 * RUN: run --seed 1..20
 * EXPECT: race @wait_for_it:READ @main:LATE
 */
#include <sys/timerfd.h>

#include "../program.h"

static int early, late, timer;

static void *wait_for_it(void *arg)
{
	uint64_t n;

	assert(read(timer, &n, sizeof(n)) == sizeof(n));
	assert(early == 1);
	return late ? arg : NULL; /* READ */
}

int main(void)
{
	struct itimerspec spec = {.it_value = at_ns(NS_PER_S)};
	pthread_t t;

	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	t = start(wait_for_it, NULL);
	early = 1;
	timerfd_settime(timer, 0, &spec, NULL);
	late = 1; /* LATE */
	finish(t);
	return 0;
}
