/*
 * A block is read after another thread has freed it, and nothing orders the two.
 *
 * RUN: run --seed 1..5
 * EXPECT: race free of size @use @main
 * EXPECT: memory use after free @use @main
 */
#include "../program.h"

static int freed;

static void *use(void *block)
{
	while (!__atomic_load_n(&freed, __ATOMIC_RELAXED))
		;
	return (void *)(intptr_t)((char *)block)[20];
}

int main(void)
{
	char *block = calloc(1, 64);
	pthread_t t = start(use, block);

	free(block);
	__atomic_store_n(&freed, 1, __ATOMIC_RELAXED);
	finish(t);
	return 0;
}
