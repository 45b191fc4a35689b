/*
 * trylock never waits: EBUSY while anybody holds the mutex, the caller included.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *try_it(void *arg)
{
	int wanted = *(int *)arg;

	assert(pthread_mutex_trylock(&m) == wanted);
	if (wanted == 0)
		assert(pthread_mutex_unlock(&m) == 0);
	return NULL;
}

int main(void)
{
	int busy = EBUSY, fine = 0;

	assert(pthread_mutex_trylock(&m) == 0);
	assert(pthread_mutex_trylock(&m) == EBUSY);
	finish(start(try_it, &busy));
	assert(pthread_mutex_unlock(&m) == 0);
	finish(start(try_it, &fine));
	return 0;
}
