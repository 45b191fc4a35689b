/*
 * A relaxed addition of another thread goes on with the release sequence.
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

static void *pass_on(void *arg)
{
	while (!__atomic_load_n(&flag, __ATOMIC_RELAXED))
		;
	__atomic_fetch_add(&flag, 1, __ATOMIC_RELAXED);
	return NULL;
}

int main(void)
{
	pthread_t t = start(produce, NULL), u = start(pass_on, NULL);

	while (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) != 2)
		;
	assert(data == 42);
	finish(t);
	finish(u);
	return 0;
}
