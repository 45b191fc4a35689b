/*
 * Timed locks give up in virtual time: an hour passes on the program's clocks and
 * none outside. The deadline does not matter to a free mutex.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *give_up(void *arg)
{
	struct timespec bad = { .tv_sec = 0, .tv_nsec = NS_PER_S };
	struct timespec negative = { .tv_sec = 0, .tv_nsec = -1 };
	struct timespec past = { .tv_sec = 1, .tv_nsec = 0 };
	struct timespec hour = in_seconds(CLOCK_REALTIME, 3600);
	int64_t before = now_ns(CLOCK_MONOTONIC), waited;

	assert(pthread_mutex_timedlock(&m, &bad) == EINVAL);
	assert(pthread_mutex_timedlock(&m, &negative) == EINVAL);
	assert(pthread_mutex_timedlock(&m, &past) == ETIMEDOUT);
	assert(pthread_mutex_timedlock(&m, &hour) == ETIMEDOUT);
	waited = now_ns(CLOCK_MONOTONIC) - before;
	assert(waited >= 3599 * NS_PER_S && waited < 3601 * NS_PER_S);
	hour = in_seconds(CLOCK_MONOTONIC, 3600);
	assert(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &hour) == ETIMEDOUT);
	assert(now_ns(CLOCK_MONOTONIC) >= hour.tv_sec * NS_PER_S + hour.tv_nsec);
	return NULL;
}

static void *get_it(void *arg)
{
	struct timespec day = in_seconds(CLOCK_REALTIME, 86400);
	int64_t before = now_ns(CLOCK_MONOTONIC);

	assert(pthread_mutex_timedlock(&m, &day) == 0);
	assert(now_ns(CLOCK_MONOTONIC) - before < 86400 * NS_PER_S);
	assert(pthread_mutex_unlock(&m) == 0);
	return NULL;
}

int main(void)
{
	struct timespec past = { .tv_sec = 1, .tv_nsec = 0 };
	pthread_t t;

	assert(pthread_mutex_lock(&m) == 0);
	finish(start(give_up, NULL));
	t = start(get_it, NULL);
	assert(sleep(60) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	finish(t);
	assert(pthread_mutex_timedlock(&m, &past) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &past) == 0);
	return 0;
}
