/*
 * A compare-and-swap that fails uses the order for failure, which is relaxed here.
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

int main(void)
{
	pthread_t t = start(produce, NULL);
	int seen;

	do {
		seen = 2;
		__atomic_compare_exchange_n(&flag, &seen, 3, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	} while (seen != 1);
	seen = data;
	finish(t);
	return seen < 0;
}
