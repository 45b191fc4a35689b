/*
 * A pointer that the creator sets after the thread exists, each access under the lock.
 *
 * FAILS: crash
 * CAUSE: conf|m
 * REMEDY: 'm'|none
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *conf;

static void *work(void *x)
{
	pthread_mutex_lock(&m);
	int v = *conf;
	pthread_mutex_unlock(&m);
	return v == 3 ? x : (void *)1;
}

int main(void)
{
	pthread_t t;
	static int c = 3;
#ifdef FIXED
	pthread_mutex_lock(&m);
	conf = &c;
	pthread_mutex_unlock(&m);
#endif
	pthread_create(&t, 0, work, 0);
#ifndef FIXED
	pthread_mutex_lock(&m);
	conf = &c;
	pthread_mutex_unlock(&m);
#endif
	pthread_join(t, 0);
	return 0;
}
