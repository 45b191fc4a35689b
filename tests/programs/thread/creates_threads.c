/*
 * Threads create threads create threads; each joins its own.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static int count;

static void *grow(void *arg)
{
	intptr_t depth = (intptr_t)arg;
	pthread_t left, right;

	__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
	if (depth == 0)
		return NULL;
	left = start(grow, (void *)(depth - 1));
	right = start(grow, (void *)(depth - 1));
	finish(left);
	finish(right);
	return NULL;
}

int main(void)
{
	grow((void *)5);
	assert(count == 63); /* 2^6 - 1 nodes */
	return 0;
}
