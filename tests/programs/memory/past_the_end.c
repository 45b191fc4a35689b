/*
 * Reads and writes by one byte past the end of a block and before its start, whatever the sizes.
 *
 * CC: -fno-builtin
 * RUN: run --seed 1..3
 * EXPECT: memory access past the end of a block: T1 writes 1 byte at offset 10, and the block has 10 bytes @main:WRITE @main:MAKE
 * EXPECT: memory access past the end of a block: T1 reads 4 bytes at offset 64 @main:READ
 * EXPECT: memory access before a block: T1 writes 1 byte 1 byte before the start of a block of 10 bytes @main:BEFORE @main:MAKE
 * EXPECT: memory access past the end of a block: T1 writes 1 byte at offset 0, and the block has 0 bytes @main:EMPTY
 * EXPECT: memory access past the end of a block: T1 reads 8 bytes at offset 16, and the block has 20 bytes @main:PARTLY
 * EXPECT: memory access past the end of a block: T2 writes 4 bytes at offset 24, and the block has 24 bytes @fill:FILL @main
 * EXIT: 0
 */
#include "../program.h"

static void *fill(void *arg)
{
	int *numbers = arg;

	for (int i = 0; i <= 6; i++)
		numbers[i] = i; /* FILL */
	return NULL;
}

int main(void)
{
	volatile int zero = 0;
	char *small = malloc(10), *empty = malloc(0); /* MAKE */
	int *aligned = aligned_alloc(64, 64), *six = malloc(6 * sizeof(int)), seen = 0;
	long *longs = (long *)malloc(20);

	for (int i = 0; i < 10; i++)
		small[i] = 1;
	small[zero + 10] = 1; /* WRITE */
	small[zero - 1] = 1; /* BEFORE */
	empty[zero] = 1; /* EMPTY */
	for (int i = 0; i < 16; i++)
		aligned[i] = i;
	seen += aligned[zero + 16]; /* READ */
	longs[0] = longs[1] = 1;
	seen += longs[zero + 2] != 0; /* PARTLY */
	finish(start(fill, six));
	free(small);
	free(empty);
	free(aligned);
	free(six);
	free(longs);
	zero = seen; /* whatever was there */
	return 0;
}
