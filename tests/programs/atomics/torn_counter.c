/*
 * An atomic load and an atomic store do not make an atomic increment.
 *
 * RUN: run
 * EXPECT: assertion counter == 2 @main:CHECK within 20 seeds
 * EXIT: SIGABRT
 */
#include "../program.h"
#include <stdatomic.h>

static atomic_int counter;

static void *increment(void *arg)
{
	int old = atomic_load(&counter);

	atomic_store(&counter, old + 1);
	return NULL;
}

int main(void)
{
	pthread_t t = start(increment, NULL), u = start(increment, NULL);

	finish(t);
	finish(u);
	assert(counter == 2); /* CHECK */
	return 0;
}
