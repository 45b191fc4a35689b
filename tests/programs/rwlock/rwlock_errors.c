/*
 * What try and timed locks answer, and the owner that asks again.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_rwlock_t l;

static void *while_written(void *arg)
{
	struct timespec bad = { .tv_sec = 0, .tv_nsec = NS_PER_S };
	struct timespec hour = in_seconds(CLOCK_REALTIME, 3600);
	int64_t before = now_ns(CLOCK_MONOTONIC);

	assert(pthread_rwlock_tryrdlock(&l) == EBUSY);
	assert(pthread_rwlock_trywrlock(&l) == EBUSY);
	assert(pthread_rwlock_timedrdlock(&l, &bad) == EINVAL);
	assert(pthread_rwlock_timedwrlock(&l, &bad) == EINVAL);
	assert(pthread_rwlock_timedrdlock(&l, &hour) == ETIMEDOUT);
	assert(now_ns(CLOCK_MONOTONIC) - before >= 3599 * NS_PER_S);
	hour = in_seconds(CLOCK_REALTIME, 3600);
	assert(pthread_rwlock_timedwrlock(&l, &hour) == ETIMEDOUT);
	hour = in_seconds(CLOCK_MONOTONIC, 3600);
	assert(pthread_rwlock_clockrdlock(&l, CLOCK_MONOTONIC, &hour) == ETIMEDOUT);
	hour = in_seconds(CLOCK_MONOTONIC, 3600);
	assert(pthread_rwlock_clockwrlock(&l, CLOCK_MONOTONIC, &hour) == ETIMEDOUT);
	assert(now_ns(CLOCK_MONOTONIC) - before >= 4 * 3599 * NS_PER_S);
	return NULL;
}

static void *while_read(void *arg)
{
	struct timespec hour = in_seconds(CLOCK_REALTIME, 3600);

	assert(pthread_rwlock_tryrdlock(&l) == 0);
	assert(pthread_rwlock_unlock(&l) == 0);
	assert(pthread_rwlock_trywrlock(&l) == EBUSY);
	assert(pthread_rwlock_timedrdlock(&l, &hour) == 0);
	assert(pthread_rwlock_unlock(&l) == 0);
	assert(pthread_rwlock_timedwrlock(&l, &hour) == ETIMEDOUT);
	return NULL;
}

int main(void)
{
	assert(pthread_rwlock_init(&l, NULL) == 0);
	assert(pthread_rwlock_wrlock(&l) == 0);
	assert(pthread_rwlock_wrlock(&l) == EDEADLK);
	assert(pthread_rwlock_rdlock(&l) == EDEADLK);
	assert(pthread_rwlock_trywrlock(&l) == EBUSY);
	finish(start(while_written, NULL));
	assert(pthread_rwlock_unlock(&l) == 0);
	assert(pthread_rwlock_rdlock(&l) == 0);
	assert(pthread_rwlock_rdlock(&l) == 0);
	finish(start(while_read, NULL));
	assert(pthread_rwlock_unlock(&l) == 0);
	assert(pthread_rwlock_trywrlock(&l) == EBUSY);
	assert(pthread_rwlock_unlock(&l) == 0);
	assert(pthread_rwlock_trywrlock(&l) == 0);
	assert(pthread_rwlock_unlock(&l) == 0);
	assert(pthread_rwlock_destroy(&l) == 0);
	return 0;
}
