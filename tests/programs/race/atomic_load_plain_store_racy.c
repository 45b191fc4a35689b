/*
 * A plain store and an atomic load of one object.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'flag' @store @load
 */
#include "../program.h"

static int flag;

static void *store(void *arg)
{
	flag = 1;
	return NULL;
}

static void *load(void *arg)
{
	return (void *)(intptr_t)__atomic_load_n(&flag, __ATOMIC_SEQ_CST);
}

int main(void)
{
	pthread_t a = start(store, NULL), b = start(load, NULL);

	finish(a);
	finish(b);
	return 0;
}
