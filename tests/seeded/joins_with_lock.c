/*
 * The joined thread wants the lock that the joining one holds.
 *
 * FAILS: deadlock
 * CAUSE: mutex 'm'
 * REMEDY: none
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int v;

static void *w(void *x)
{
	pthread_mutex_lock(&m);
	v++;
	pthread_mutex_unlock(&m);
	return x;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, w, 0);
#ifdef FIXED
	pthread_join(t, 0);
	pthread_mutex_lock(&m);
#else
	pthread_mutex_lock(&m);
	if (!v)
		pthread_join(t, 0);
#endif
	v++;
	pthread_mutex_unlock(&m);
#ifndef FIXED
	if (v == 2)
		pthread_join(t, 0);
#endif
	return 0;
}
