/*
 * What was written before pthread_kill is there for the handler, and back after the join.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"
#include <signal.h>

static int message, answer, handled;

static void handler(int number)
{
	answer = message + 1;
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

	signal(SIGUSR1, handler);
	t = start(target, NULL);
	message = 41;
	pthread_kill(t, SIGUSR1);
	finish(t);
	return answer - 42;
}
