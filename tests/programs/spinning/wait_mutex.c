/*
 * A thread looks for a flag under a mutex again and again: every round changes the mutex, so it
 * is not known to go in circles, but others must get their turn.
 *
 * RUN: run --seed 1..10
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void *wait_for(void *arg)
{
	int seen = 0;

	while (!seen) {
		pthread_mutex_lock(&m);
		seen = ready == 2;
		pthread_mutex_unlock(&m);
	}
	return NULL;
}

static void *make_ready(void *arg)
{
	pthread_mutex_lock(&m);
	ready++;
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t waiter[] = { start(wait_for, NULL), start(wait_for, NULL) };
	pthread_t maker[] = { start(make_ready, NULL), start(make_ready, NULL) };

	for (int i = 0; i < 2; i++) {
		finish(waiter[i]);
		finish(maker[i]);
	}
	return 0;
}
