/*
 * A metronome takes each read for one beat. When it is busy for longer than a beat it misses some:
 * the number that it read would have told.
 *
 * RUN: run --policy rr
 * EXPECT: assertion @main
 * EXIT: SIGABRT
 */
#include <sys/timerfd.h>

#include "../program.h"

int main(void)
{
	struct itimerspec spec = {.it_value = at_ns(1000000), .it_interval = at_ns(1000000)};
	int timer = timerfd_create(CLOCK_MONOTONIC, 0), beats = 0, counted = 0;
	int64_t began = now_ns(CLOCK_MONOTONIC), passed;
	uint64_t n;

	assert(timerfd_settime(timer, 0, &spec, NULL) == 0);
	for (int i = 0; i < 10; i++) {
		assert(read(timer, &n, sizeof(n)) == sizeof(n));
		beats++;
		counted += (int)n;
		if (i == 4)
			usleep(3500);
	}
	passed = (now_ns(CLOCK_MONOTONIC) - began) / 1000000;
	assert(counted == passed);
	assert(beats == passed);
	return 0;
}
