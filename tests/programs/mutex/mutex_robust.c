/*
 * The owner of a robust mutex ends: the next one is told (EOWNERDEAD) and makes
 * the mutex consistent, or does not and loses it for ever.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t m;

static void *die_with_it(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	return NULL;
}

static void *expect_lost(void *arg)
{
	assert(pthread_mutex_lock(&m) == ENOTRECOVERABLE);
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	assert(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0);
	assert(pthread_mutex_init(&m, &attr) == 0);

	finish(start(die_with_it, NULL));
	assert(pthread_mutex_lock(&m) == EOWNERDEAD);
	assert(pthread_mutex_consistent(&m) == 0);
	assert(pthread_mutex_consistent(&m) == EINVAL);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);

	finish(start(die_with_it, NULL));
	assert(pthread_mutex_trylock(&m) == EOWNERDEAD);
	assert(pthread_mutex_unlock(&m) == 0); /* not made consistent */
	assert(pthread_mutex_lock(&m) == ENOTRECOVERABLE);
	assert(pthread_mutex_trylock(&m) == ENOTRECOVERABLE);
	finish(start(expect_lost, NULL));

	assert(pthread_mutex_destroy(&m) == 0);
	assert(pthread_mutex_init(&m, &attr) == 0);
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == EPERM); /* a robust mutex promises this, too */
	return 0;
}
