/*
 * A block is moved by realloc after another thread has written it, but nothing orders the two.
 *
 * RUN: run --seed 1..5
 * EXPECT: race Free of size @use @main
 */
#include "../program.h"

static int used;

static void *use(void *block)
{
	((char *)block)[20] = 1;
	__atomic_store_n(&used, 1, __ATOMIC_RELAXED);
	return NULL;
}

int main(void)
{
	char *block = calloc(1, 64), *moved;
	pthread_t t = start(use, block);

	while (!__atomic_load_n(&used, __ATOMIC_RELAXED))
		;
	moved = realloc(block, 100000);
	assert(moved);
	finish(t);
	free(moved);
	return 0;
}
