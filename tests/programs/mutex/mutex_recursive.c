/*
 * A recursive mutex counts its owner's locks and promises EPERM to anybody else.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t m;
static int busy_seen, free_seen;

static void *other(void *arg)
{
	int rc = pthread_mutex_trylock(&m);

	assert(rc == 0 || rc == EBUSY);
	if (rc == EBUSY)
		busy_seen++;
	else
		free_seen++;
	if (rc == 0)
		assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == EPERM);
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	assert(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE) == 0);
	assert(pthread_mutex_init(&m, &attr) == 0);
	for (int depth = 1; depth <= 3; depth++)
		assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_trylock(&m) == 0);
	for (int depth = 4; depth > 0; depth--) {
		finish(start(other, NULL));
		assert(busy_seen == 5 - depth && free_seen == 0);
		assert(pthread_mutex_unlock(&m) == 0);
	}
	finish(start(other, NULL));
	assert(busy_seen == 4 && free_seen == 1);
	assert(pthread_mutex_unlock(&m) == EPERM);
	assert(pthread_mutex_destroy(&m) == 0);
	pthread_mutexattr_destroy(&attr);
	return 0;
}
