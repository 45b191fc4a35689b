/*
 * Data handed over through a second thread and a second flag.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static int data, flags[2];

static void *produce(void *arg)
{
	data = 42;
	__atomic_store_n(&flags[0], 1, __ATOMIC_RELEASE);
	return NULL;
}

static void *pass_on(void *arg)
{
	while (!__atomic_load_n(&flags[0], __ATOMIC_ACQUIRE))
		;
	__atomic_store_n(&flags[1], 1, __ATOMIC_RELEASE);
	return NULL;
}

int main(void)
{
	pthread_t t = start(produce, NULL), u = start(pass_on, NULL);

	while (!__atomic_load_n(&flags[1], __ATOMIC_ACQUIRE))
		;
	assert(data == 42);
	finish(t);
	finish(u);
	return 0;
}
