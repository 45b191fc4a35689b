/*
 * A thread waits under a mutex, without sleeping, for two others, one after the other. Whoever
 * prefers the waiting thread once the first of them is done must let it go some time: it waits
 * for the second one.
 *
 * RUN: run --seed 1..10
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int stage;

static void *wait_for_both(void *arg)
{
	int seen = 0;

	while (seen < 2) {
		pthread_mutex_lock(&m);
		seen = stage;
		pthread_mutex_unlock(&m);
	}
	return NULL;
}

static void *first(void *arg)
{
	pthread_mutex_lock(&m);
	stage = 1;
	pthread_mutex_unlock(&m);
	return NULL;
}

static void *second(void *arg)
{
	int seen = 0;

	while (seen < 1) {
		pthread_mutex_lock(&m);
		seen = stage;
		pthread_mutex_unlock(&m);
	}
	pthread_mutex_lock(&m);
	stage = 2;
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t waiter = start(wait_for_both, NULL), a = start(first, NULL),
		  b = start(second, NULL);

	finish(waiter);
	finish(a);
	finish(b);
	return 0;
}
