/*
 * Release and acquire, but of two different variables: they do not meet.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'data' @produce @main
 */
#include "../program.h"

static int flags[2];
int data; /* not static: the compiler must not know all its values */

static void *produce(void *arg)
{
	data = 42;
	__atomic_store_n(&flags[0], 1, __ATOMIC_RELEASE);
	__atomic_store_n(&flags[1], 1, __ATOMIC_RELAXED);
	return NULL;
}

int main(void)
{
	pthread_t t = start(produce, NULL);
	int seen;

	while (!__atomic_load_n(&flags[1], __ATOMIC_ACQUIRE))
		;
	seen = data;
	finish(t);
	return seen < 0;
}
