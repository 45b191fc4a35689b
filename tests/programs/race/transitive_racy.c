/*
 * The thread in the middle does not acquire, so it has nothing to release.
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
	return NULL;
}

static void *pass_on(void *arg)
{
	while (!__atomic_load_n(&flags[0], __ATOMIC_RELAXED))
		;
	__atomic_store_n(&flags[1], 1, __ATOMIC_RELEASE);
	return NULL;
}

int main(void)
{
	pthread_t t = start(produce, NULL), u = start(pass_on, NULL);
	int seen;

	while (!__atomic_load_n(&flags[1], __ATOMIC_ACQUIRE))
		;
	seen = data;
	finish(t);
	finish(u);
	return seen < 0;
}
