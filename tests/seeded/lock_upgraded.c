/*
 * What was looked up under a read lock is relied on under the write lock.
 *
 * FAILS: assertion
 * CAUSE: cached
 * REMEDY: 'l'|a new lock
 */
#include <pthread.h>
#include <assert.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int made, cached;

static void *get(void *x)
{
	pthread_rwlock_rdlock(&l);
	int c = cached;
	pthread_rwlock_unlock(&l);
	if (!c) {
		pthread_rwlock_wrlock(&l);
#ifdef FIXED
		if (!cached)
#endif
		{
			cached = 1;
			made++;
		}
		pthread_rwlock_unlock(&l);
	}
	return x;
}

int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(t + i, 0, get, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	assert(made == 1);
	return 0;
}
