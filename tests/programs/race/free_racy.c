/*
 * A block is freed after another thread has read it, but nothing orders the two.
 *
 * RUN: run --seed 1..5
 * EXPECT: race Free of size @use @main
 */
#include "../program.h"

static int used;

static void *use(void *block)
{
	int seen = ((char *)block)[20];

	__atomic_store_n(&used, 1, __ATOMIC_RELAXED);
	return (void *)(intptr_t)seen;
}

int main(void)
{
	char *block = calloc(1, 64);
	pthread_t t = start(use, block);

	while (!__atomic_load_n(&used, __ATOMIC_RELAXED))
		;
	free(block);
	finish(t);
	return 0;
}
