/*
 * Two threads wait for one condition variable at the same time, each with a mutex of its own.
 *
 * RUN: run --seed 1..5
 * EXPECT: misuse wait with another mutex than that of a thread that already waits @main:WAIT
 * EXIT: 0
 */
#include <stdbool.h>

#include "../program.h"

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static bool waits, woken, done;

static void *waiter(void *arg)
{
	pthread_mutex_lock(&one);
	waits = true;
	while (!woken)
		pthread_cond_wait(&c, &one);
	pthread_mutex_unlock(&one);
	pthread_mutex_lock(&other);
	done = true;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&other);
	return NULL;
}

static void *waker(void *arg)
{
	pthread_mutex_lock(&other); /* free once main waits */
	pthread_mutex_unlock(&other);
	pthread_mutex_lock(&one);
	woken = true;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&one);
	return NULL;
}

static bool is_waiting(void)
{
	bool is;

	pthread_mutex_lock(&one);
	is = waits;
	pthread_mutex_unlock(&one);
	return is;
}

int main(void)
{
	pthread_t a = start(waiter, NULL), b;

	while (!is_waiting())
		sched_yield();
	pthread_mutex_lock(&other);
	b = start(waker, NULL);
	while (!done)
		pthread_cond_wait(&c, &other); /* WAIT */
	pthread_mutex_unlock(&other);
	finish(a);
	finish(b);
	return 0;
}
