/*
 * Threads wait for one condition variable with two mutexes, but one after the other: that is allowed.
 *
 * RUN: run --seed 1..5
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int stage; /* under the mutex of the wait for it */

static void *waker(void *arg)
{
	pthread_mutex_t *m = arg;

	pthread_mutex_lock(m);
	stage++;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(m);
	return NULL;
}

static void wait_for(int wanted, pthread_mutex_t *m)
{
	pthread_t t;

	pthread_mutex_lock(m);
	t = start(waker, m);
	while (stage < wanted)
		pthread_cond_wait(&c, m);
	pthread_mutex_unlock(m);
	finish(t);
}

int main(void)
{
	wait_for(1, &one);
	wait_for(2, &other);
	return 0;
}
