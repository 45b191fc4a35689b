/*
 * Whether the queue is closed is asked in one critical section, and the item put in in another.
 *
 * FAILS: assertion
 * CAUSE: closed
 * REMEDY: 'm'
 */
#include <pthread.h>
#include <assert.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int closed, n, accepted, consumed;

static int put(void)
{
	pthread_mutex_lock(&m);
	if (closed) {
		pthread_mutex_unlock(&m);
		return 0;
	}
#ifndef FIXED
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
#endif
	n++;
	accepted++;
	pthread_mutex_unlock(&m);
	return 1;
}

static void *producer(void *x)
{
	put();
	put();
	return x;
}

static void *closer(void *x)
{
	pthread_mutex_lock(&m);
	closed = 1;
	consumed += n;
	n = 0;
	pthread_mutex_unlock(&m);
	return x;
}

int main(void)
{
	pthread_t s, t;
	pthread_create(&s, 0, producer, 0);
	pthread_create(&t, 0, closer, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	assert(accepted == consumed);
	return 0;
}
