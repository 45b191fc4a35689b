/*
 * Two atomic variables that are set one after the other, by four threads; a fifth one looks at both.
 *
 * FAILS: assertion
 * CAUSE: a|b
 * REMEDY: a new lock
 */
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>

static atomic_int a, b;
#ifdef FIXED
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#define LOCK()	 pthread_mutex_lock(&m)
#define UNLOCK() pthread_mutex_unlock(&m)
#else
#define LOCK()	 ((void)0)
#define UNLOCK() ((void)0)
#endif

static void *set(void *x)
{
	LOCK();
	a = 1;
	b = -1;
	UNLOCK();
	return x;
}

static void *chk(void *x)
{
	LOCK();
	int p = a, q = b;
	UNLOCK();
	assert((p == 0 && q == 0) || (p == 1 && q == -1));
	return x;
}

int main(void)
{
	pthread_t t[5];
	for (int i = 0; i < 4; i++)
		pthread_create(t + i, 0, set, 0);
	pthread_create(t + 4, 0, chk, 0);
	for (int i = 0; i < 5; i++)
		pthread_join(t[i], 0);
	return 0;
}
