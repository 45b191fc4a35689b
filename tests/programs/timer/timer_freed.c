/*
 * A timer is deleted, and what its function works on is freed: the function may be under way.
 *
 * RUN: run
 * EXPECT: memory @on_timer within 100 seeds
 * EXPECT: race @on_timer @main within 100 seeds
 */
#include <signal.h>
#include <stdatomic.h>

#include "../program.h"

static void on_timer(union sigval value)
{
	atomic_int *count = value.sival_ptr;

	atomic_fetch_add(count, 1);
}

int main(void)
{
	atomic_int *count = calloc(1, sizeof(*count));
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_timer,
				 .sigev_value.sival_ptr = count};
	struct itimerspec spec = {.it_value = at_ns(1000000)};
	timer_t timer;

	assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	assert(timer_settime(timer, 0, &spec, NULL) == 0);
	usleep(1000);
	timer_delete(timer);
	free(count);
	usleep(1000);
	return 0;
}
