/*
 * A fence on one side meets an operation with an order on the other.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static int data[2], flags[2];

static void *produce(void *arg)
{
	data[0] = 42;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&flags[0], 1, __ATOMIC_RELAXED);
	data[1] = 43;
	__atomic_store_n(&flags[1], 1, __ATOMIC_RELEASE);
	return NULL;
}

int main(void)
{
	pthread_t t = start(produce, NULL);

	while (!__atomic_load_n(&flags[0], __ATOMIC_ACQUIRE))
		;
	assert(data[0] == 42);
	while (!__atomic_load_n(&flags[1], __ATOMIC_RELAXED))
		;
	__atomic_thread_fence(__ATOMIC_ACQ_REL);
	assert(data[1] == 43);
	finish(t);
	return 0;
}
