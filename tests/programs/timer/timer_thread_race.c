/*
 * A timer calls a function in a thread of its own, which counts; main looks at the count without a lock.
 *
 * RUN: run --seed 1..20
 * EXPECT: race @on_timer:COUNT @main:LOOK
 */
#include <signal.h>

#include "../program.h"

static int count;

static void on_timer(union sigval value)
{
	assert(value.sival_int == 7);
	count++; /* COUNT */
}

int main(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_timer,
				 .sigev_value.sival_int = 7};
	struct itimerspec spec = {.it_value = at_ns(1000000)};
	timer_t timer;

	assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	assert(timer_settime(timer, 0, &spec, NULL) == 0);
	sleep(1);
	assert(count == 1); /* LOOK */
	timer_delete(timer);
	return 0;
}
