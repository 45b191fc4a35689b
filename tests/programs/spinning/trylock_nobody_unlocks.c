/*
 * A loop of failing trylocks on a mutex whose owner waits for the loop to end.
 *
 * RUN: run --seed 1..5
 * EXPECT: livelock @tries
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *tries(void *arg)
{
	while (pthread_mutex_trylock(&m) != 0)
		sched_yield();
	return NULL;
}

int main(void)
{
	pthread_mutex_lock(&m);
	finish(start(tries, NULL));
	return 0;
}
