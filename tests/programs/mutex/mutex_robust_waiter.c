/*
 * Threads that already wait for a robust mutex when its owner ends: exactly one of
 * them hears of it.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t m;
static pthread_barrier_t held;
static int told, normal;

static void *die_with_it(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	pthread_barrier_wait(&held);
	sched_yield();
	return NULL;
}

static void *wait_for_it(void *arg)
{
	int rc;

	pthread_barrier_wait(&held);
	rc = pthread_mutex_lock(&m);
	if (rc == EOWNERDEAD) {
		told++;
		assert(pthread_mutex_consistent(&m) == 0);
	} else {
		assert(rc == 0);
		normal++;
	}
	assert(pthread_mutex_unlock(&m) == 0);
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t attr;
	pthread_t t[3];

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&m, &attr);
	pthread_barrier_init(&held, NULL, 3);
	t[0] = start(die_with_it, NULL);
	t[1] = start(wait_for_it, NULL);
	t[2] = start(wait_for_it, NULL);
	for (int i = 0; i < 3; i++)
		finish(t[i]);
	assert(told == 1 && normal == 1);
	return 0;
}
