/*
 * Two variables that belong together, each under a lock of its own, updated one after the other.
 *
 * FAILS: assertion
 * CAUSE: d1|d2|b
 * REMEDY: 'a'|'b'|a new lock
 */
#include <pthread.h>
#include <assert.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int d1, d2;

static void *w(void *x)
{
	pthread_mutex_lock(&a);
	d1 = 1;
#ifndef FIXED
	pthread_mutex_unlock(&a);
#endif
	pthread_mutex_lock(&b);
	d2 = d1 + 1;
	pthread_mutex_unlock(&b);
#ifdef FIXED
	pthread_mutex_unlock(&a);
#endif
	return x;
}

static void *r(void *x)
{
	pthread_mutex_lock(&a);
	if (d1 == 0) {
		pthread_mutex_unlock(&a);
		return x;
	}
	int t1 = d1;
#ifndef FIXED
	pthread_mutex_unlock(&a);
#endif
	pthread_mutex_lock(&b);
	int t2 = d2;
	pthread_mutex_unlock(&b);
#ifdef FIXED
	pthread_mutex_unlock(&a);
#endif
	assert(t2 == t1 + 1);
	return x;
}

int main(void)
{
	pthread_t s, t;
	pthread_create(&s, 0, w, 0);
	pthread_create(&t, 0, r, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	return 0;
}
