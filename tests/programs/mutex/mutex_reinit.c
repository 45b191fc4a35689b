/*
 * A destroyed mutex may be initialised again, as another kind, in the same place.
 *
 * RUN: run --seed 1..5
 * EXPECT: clean
 */
#include "../program.h"

int main(void)
{
	pthread_mutex_t *m = malloc(sizeof(*m));
	pthread_mutexattr_t attr;

	assert(m && pthread_mutex_init(m, NULL) == 0);
	assert(pthread_mutex_lock(m) == 0);
	assert(pthread_mutex_unlock(m) == 0);
	assert(pthread_mutex_destroy(m) == 0);
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	assert(pthread_mutex_init(m, &attr) == 0);
	assert(pthread_mutex_lock(m) == 0);
	assert(pthread_mutex_lock(m) == 0);
	assert(pthread_mutex_unlock(m) == 0);
	assert(pthread_mutex_unlock(m) == 0);
	assert(pthread_mutex_destroy(m) == 0);
	free(m);
	return 0;
}
