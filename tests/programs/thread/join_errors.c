/*
 * Joins that POSIX asks to answer with EDEADLK, or lets time out.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static void *joins_creator(void *arg)
{
	pthread_t creator = *(pthread_t *)arg;

	sleep(1); /* main waits for us by then */
	assert(pthread_join(creator, NULL) == EDEADLK);
	return NULL;
}

static void *lasts_a_day(void *arg)
{
	sleep(86400);
	return arg;
}

int main(void)
{
	pthread_t self = pthread_self(), day;
	struct timespec hour;
	void *ret = NULL;

	assert(pthread_join(self, NULL) == EDEADLK);
	finish(start(joins_creator, &self));
	day = start(lasts_a_day, &self);
	assert(pthread_tryjoin_np(day, &ret) == EBUSY);
	hour = in_seconds(CLOCK_REALTIME, 3600);
	assert(pthread_timedjoin_np(day, &ret, &hour) == ETIMEDOUT);
	hour = in_seconds(CLOCK_MONOTONIC, 3600);
	assert(pthread_clockjoin_np(day, &ret, CLOCK_MONOTONIC, &hour) == ETIMEDOUT);
	hour = in_seconds(CLOCK_MONOTONIC, 86400);
	assert(pthread_clockjoin_np(day, &ret, CLOCK_MONOTONIC, &hour) == 0);
	assert(ret == &self);
	day = start(lasts_a_day, &hour);
	sleep(86401);
	assert(pthread_tryjoin_np(day, &ret) == 0 && ret == &hour);
	return 0;
}
