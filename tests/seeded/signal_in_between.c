/*
 * The flag is tested before the mutex of the wait is taken: the signal may come in between.
 *
 * FAILS: deadlock
 * CAUSE: ready|condition variable 'c'
 * REMEDY: 'm'
 */
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *waiter(void *x)
{
#ifdef FIXED
	pthread_mutex_lock(&m);
	while (!ready)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
#else
	if (!ready) {
		pthread_mutex_lock(&m);
		pthread_cond_wait(&c, &m);
		pthread_mutex_unlock(&m);
	}
#endif
	return x;
}

static void *waker(void *x)
{
#ifdef FIXED
	pthread_mutex_lock(&m);
#endif
	ready = 1;
	pthread_cond_signal(&c);
#ifdef FIXED
	pthread_mutex_unlock(&m);
#endif
	return x;
}

int main(void)
{
	pthread_t s, t;
	pthread_create(&s, 0, waiter, 0);
	pthread_create(&t, 0, waker, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	return 0;
}
