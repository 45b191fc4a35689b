/*
 * A rwlock and a mutex, taken in both orders.
 *
 * FAILS: deadlock
 * CAUSE: mutex 'm'|rwlock 'l'
 * REMEDY: taking|a new lock
 */
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int v;

static void *a(void *x)
{
	pthread_rwlock_rdlock(&l);
	pthread_mutex_lock(&m);
	v++;
	pthread_mutex_unlock(&m);
	pthread_rwlock_unlock(&l);
	return x;
}

static void *b(void *x)
{
#ifdef FIXED
	pthread_rwlock_wrlock(&l);
	pthread_mutex_lock(&m);
	v++;
	pthread_mutex_unlock(&m);
	pthread_rwlock_unlock(&l);
#else
	pthread_mutex_lock(&m);
	pthread_rwlock_wrlock(&l);
	v++;
	pthread_rwlock_unlock(&l);
	pthread_mutex_unlock(&m);
#endif
	return x;
}

int main(void)
{
	pthread_t s, t;
	pthread_create(&s, 0, a, 0);
	pthread_create(&t, 0, b, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	return v != 2;
}
