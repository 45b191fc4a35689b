/*
 * Two threads scale a vector so that its larger part is 1. The lock is given back between looking
 * and dividing, so both may divide by what it was: then it is scaled twice.
 */
#include <assert.h>
#include <pthread.h>

static float x = 3, y = 4;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *scale(void *arg)
{
	float p, q, max;

	pthread_mutex_lock(&lock);
	p = x;
	q = y;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
#endif
	max = p > q ? p : q;
#ifndef FIXED
	pthread_mutex_lock(&lock);
#endif
	x = x / max;
	y = y / max;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, scale, NULL);
	pthread_create(&b, NULL, scale, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(x == 0.75f && y == 1);
	return 0;
}
