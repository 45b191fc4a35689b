/*
 * Who waits for an item gives back the inner lock only: who has one cannot come by the outer one.
 *
 * FAILS: deadlock
 * CAUSE: mutex 'outer'|condition variable 'filled'
 * REMEDY: none
 */
#include <pthread.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items, calls;

static void *get(void *x)
{
	pthread_mutex_lock(&outer);
	calls++;
#ifdef FIXED
	pthread_mutex_unlock(&outer);
#endif
	pthread_mutex_lock(&inner);
	while (!items)
		pthread_cond_wait(&filled, &inner);
	items--;
	pthread_mutex_unlock(&inner);
#ifndef FIXED
	pthread_mutex_unlock(&outer);
#endif
	return x;
}

static void *put(void *x)
{
	pthread_mutex_lock(&outer);
	calls++;
	pthread_mutex_lock(&inner);
	items++;
	pthread_cond_signal(&filled);
	pthread_mutex_unlock(&inner);
	pthread_mutex_unlock(&outer);
	return x;
}

int main(void)
{
	pthread_t s, t;
	pthread_create(&s, 0, put, 0);
	pthread_create(&t, 0, get, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	return calls != 2;
}
