/*
 * A handler counts in another thread while the sender reads the count.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'caught' @handler @main
 */
#include "../program.h"
#include <signal.h>

static int caught, handled;

static void handler(int number)
{
	caught++;
	__atomic_store_n(&handled, 1, __ATOMIC_RELAXED);
}

static void *target(void *arg)
{
	while (!__atomic_load_n(&handled, __ATOMIC_RELAXED))
		sched_yield();
	return NULL;
}

int main(void)
{
	pthread_t t;
	int seen;

	signal(SIGUSR1, handler);
	t = start(target, NULL);
	pthread_kill(t, SIGUSR1);
	seen = caught;
	finish(t);
	return seen > 1;
}
