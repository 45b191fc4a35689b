/*
 * Timed waits end in virtual time, on the clock of the condition variable, with the
 * mutex held; a signal ends them before.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER, monotonic;
static int flag;

static void *set_flag(void *arg)
{
	sleep(10);
	pthread_mutex_lock(&m);
	flag = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return NULL;
}

static void *is_busy(void *arg)
{
	assert(pthread_mutex_trylock(&m) == EBUSY);
	return NULL;
}

static void waits_end(void)
{
	struct timespec bad = { .tv_sec = 0, .tv_nsec = NS_PER_S };
	struct timespec hour = in_seconds(CLOCK_REALTIME, 3600);
	int64_t before = now_ns(CLOCK_MONOTONIC);

	assert(pthread_cond_timedwait(&c, &m, &bad) == EINVAL);
	assert(pthread_cond_timedwait(&c, &m, &hour) == ETIMEDOUT);
	assert(now_ns(CLOCK_MONOTONIC) - before >= 3599 * NS_PER_S);
	assert(pthread_cond_timedwait(&c, &m, &hour) == ETIMEDOUT); /* past by now */

	hour = in_seconds(CLOCK_MONOTONIC, 3600);
	assert(pthread_cond_timedwait(&monotonic, &m, &hour) == ETIMEDOUT);
	assert(now_ns(CLOCK_MONOTONIC) >= hour.tv_sec * NS_PER_S + hour.tv_nsec);

	hour = in_seconds(CLOCK_MONOTONIC, 3600);
	assert(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &hour) == ETIMEDOUT);
	assert(now_ns(CLOCK_MONOTONIC) >= hour.tv_sec * NS_PER_S + hour.tv_nsec);
	finish(start(is_busy, NULL));
}

int main(void)
{
	pthread_condattr_t attr;
	struct timespec hour;
	int64_t before;
	pthread_t t;

	pthread_condattr_init(&attr);
	assert(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
	assert(pthread_cond_init(&monotonic, &attr) == 0);
	pthread_mutex_lock(&m);
	waits_end();
	before = now_ns(CLOCK_MONOTONIC);
	hour = in_seconds(CLOCK_REALTIME, 3600);
	t = start(set_flag, NULL);
	while (!flag)
		assert(pthread_cond_timedwait(&c, &m, &hour) == 0);
	assert(now_ns(CLOCK_MONOTONIC) - before < 3600 * NS_PER_S);
	pthread_mutex_unlock(&m);
	finish(t);
	return 0;
}
