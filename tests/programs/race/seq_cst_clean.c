/*
 * Data handed over by sequentially consistent operations, which release and acquire too.
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
	__atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

int main(void)
{
	pthread_t t = start(produce, NULL);

	while (!__atomic_load_n(&flag, __ATOMIC_SEQ_CST))
		;
	assert(data == 42);
	finish(t);
	return 0;
}
