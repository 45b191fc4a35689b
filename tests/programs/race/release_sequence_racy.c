/*
 * A relaxed store of another thread breaks the release sequence.
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
	__atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void *pass_on(void *arg)
{
	while (!__atomic_load_n(&flag, __ATOMIC_RELAXED))
		;
	__atomic_store_n(&flag, 2, __ATOMIC_RELAXED);
	return NULL;
}

int main(void)
{
	pthread_t t = start(produce, NULL), u = start(pass_on, NULL);
	int seen;

	while (__atomic_load_n(&flag, __ATOMIC_RELAXED) != 2)
		;
	seen = __atomic_load_n(&flag, __ATOMIC_ACQUIRE) + data;
	finish(t);
	finish(u);
	return seen < 0;
}
