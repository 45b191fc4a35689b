/*
 * A compare-and-swap that fails still loads, with the order given for failure.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static int data, flag;

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
		__atomic_compare_exchange_n(&flag, &seen, 3, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	} while (seen != 1);
	assert(data == 42);
	finish(t);
	return 0;
}
