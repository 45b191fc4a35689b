/*
 * Locking a mutex is no cancellation point, waiting at a barrier is none, and nothing
 * is one while cancellation is disabled; a request stays pending.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t b;
static int got_lock, passed_barrier, slept;

static void *worker(void *arg)
{
	int old;

	pthread_mutex_lock(&m);
	got_lock = 1;
	pthread_mutex_unlock(&m);
	pthread_barrier_wait(&b);
	passed_barrier = 1;
	assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0);
	assert(old == PTHREAD_CANCEL_ENABLE);
	sleep(1);
	pthread_testcancel();
	slept = 1;
	assert(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old) == 0);
	assert(old == PTHREAD_CANCEL_DISABLE);
	pthread_testcancel();
	abort();
}

int main(void)
{
	pthread_t t;

	pthread_barrier_init(&b, NULL, 2);
	pthread_mutex_lock(&m);
	t = start(worker, NULL);
	sleep(1); /* it waits for the mutex */
	assert(pthread_cancel(t) == 0);
	sleep(1);
	assert(!got_lock);
	pthread_mutex_unlock(&m);
	pthread_barrier_wait(&b);
	assert(finish(t) == PTHREAD_CANCELED);
	assert(got_lock && passed_barrier && slept);
	assert(pthread_setcancelstate(99, NULL) == EINVAL);
	assert(pthread_setcanceltype(99, NULL) == EINVAL);
	return 0;
}
