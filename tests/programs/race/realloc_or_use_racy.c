/*
 * A block is moved by realloc and read by another thread, in whatever order.
 *
 * RUN: run --seed 1..5
 * EXPECT: race @use @main
 * EXPECT: memory use after free @use @main within 5 seeds
 */
#include "../program.h"

static void *use(void *block)
{
	return (void *)(intptr_t)((char *)block)[20];
}

int main(void)
{
	char *block = calloc(1, 64), *moved;
	pthread_t t = start(use, block);

	moved = realloc(block, 100000);
	assert(moved);
	finish(t);
	free(moved);
	return 0;
}
