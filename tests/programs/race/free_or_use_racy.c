/*
 * A block is freed by one thread and read by another, in whatever order.
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
	char *block = calloc(1, 64);
	pthread_t t = start(use, block);

	free(block);
	finish(t);
	return 0;
}
