/*
 * A number and twice that are kept beside each other. Each thread
 * sets both from what it has read, in two critical sections, and
 * the other may come in between.
 */
#include <assert.h>
#include <pthread.h>

static int top = 1, twice = 2;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *grow(void *arg)
{
	int next;

	pthread_mutex_lock(&lock);
	next = top + 1;
	top = next;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	twice = next * 2;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, grow, NULL);
	pthread_create(&b, NULL, grow, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(twice == 2 * top);
	return 0;
}
