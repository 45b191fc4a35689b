/*
 * The load acquires, but the store does not release.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'data' @produce @main
 */
#include "../program.h"

static int flag;
int data; /* not static: the compiler must not know all its values */

static void *produce(void *arg)
{
	data = 42;
	__atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
	return NULL;
}

int main(void)
{
	pthread_t t = start(produce, NULL);
	int seen;

	while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE))
		;
	seen = data;
	finish(t);
	return seen < 0;
}
