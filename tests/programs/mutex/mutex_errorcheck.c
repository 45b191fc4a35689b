/*
 * An errorcheck mutex answers misuse with an error: no finding.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void *other(void *arg)
{
	assert(pthread_mutex_unlock(&m) == EPERM);
	assert(pthread_mutex_trylock(&m) == EBUSY);
	return NULL;
}

int main(void)
{
	struct timespec soon = in_seconds(CLOCK_REALTIME, 1);

	assert(pthread_mutex_unlock(&m) == EPERM);
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_lock(&m) == EDEADLK);
	assert(pthread_mutex_timedlock(&m, &soon) == EDEADLK);
	assert(pthread_mutex_trylock(&m) == EBUSY);
	finish(start(other, NULL));
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == EPERM);
	return 0;
}
