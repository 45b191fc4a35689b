/*
 * What a thread left behind with pthread_exit is there after the join.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static void __attribute__((noinline)) leave(int value)
{
	int *result = malloc(sizeof(*result));

	*result = value;
	pthread_exit(result);
}

static void *work(void *arg)
{
	leave(42);
	return NULL;
}

int main(void)
{
	int *result = finish(start(work, NULL));

	assert((*result)++ == 42);
	free(result);
	return 0;
}
