/*
 * A thread waits for a normal mutex of its own, but not for ever: no deadlock.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
	struct timespec minute = in_seconds(CLOCK_REALTIME, 60);

	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_timedlock(&m, &minute) == ETIMEDOUT);
	assert(now_ns(CLOCK_REALTIME) >= minute.tv_sec * NS_PER_S + minute.tv_nsec);
	assert(pthread_mutex_unlock(&m) == 0);
	return 0;
}
