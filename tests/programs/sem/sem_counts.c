/*
 * A semaphore counts: never more inside than its value, and what its calls answer.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"
#include <limits.h>
#include <semaphore.h>

static sem_t s;
static int inside;

static void *enter(void *arg)
{
	for (int i = 0; i < 5; i++) {
		assert(sem_wait(&s) == 0);
		assert(__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST) <= 2);
		sched_yield();
		__atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
		assert(sem_post(&s) == 0);
	}
	return NULL;
}

static int value(void)
{
	int v;

	assert(sem_getvalue(&s, &v) == 0);
	return v;
}

static void answers(void)
{
	struct timespec bad = { .tv_sec = 0, .tv_nsec = NS_PER_S };
	struct timespec hour = in_seconds(CLOCK_REALTIME, 3600);
	int64_t before = now_ns(CLOCK_MONOTONIC);

	assert(sem_trywait(&s) == -1 && errno == EAGAIN);
	assert(sem_timedwait(&s, &bad) == -1 && errno == EINVAL);
	assert(sem_timedwait(&s, &hour) == -1 && errno == ETIMEDOUT);
	assert(now_ns(CLOCK_MONOTONIC) - before >= 3599 * NS_PER_S);
	hour = in_seconds(CLOCK_MONOTONIC, 3600);
	assert(sem_clockwait(&s, CLOCK_MONOTONIC, &hour) == -1 && errno == ETIMEDOUT);
	assert(sem_post(&s) == 0 && value() == 1);
	assert(sem_timedwait(&s, &(struct timespec){ .tv_sec = 1 }) == 0); /* no need to wait */
	assert(sem_post(&s) == 0);
	assert(sem_trywait(&s) == 0 && value() == 0);
}

int main(void)
{
	pthread_t t[4];

	assert(sem_init(&s, 0, 2) == 0 && value() == 2);
	for (int i = 0; i < 4; i++)
		t[i] = start(enter, NULL);
	for (int i = 0; i < 4; i++)
		finish(t[i]);
	assert(value() == 2);
	assert(sem_wait(&s) == 0 && sem_wait(&s) == 0 && value() == 0);
	answers();
	assert(sem_destroy(&s) == 0);
	assert(sem_init(&s, 0, SEM_VALUE_MAX) == 0);
	assert(sem_post(&s) == -1 && errno == EOVERFLOW);
	assert(value() == SEM_VALUE_MAX);
	return 0;
}
