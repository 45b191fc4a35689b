/*
 * Small blocks side by side: half of the last sixteen bytes of one is all of its red zone, and the first
 * half of the next block's red zone counts for it as well.
 *
 * CC: -fno-builtin
 * RUN: run --seed 1..3
 * EXPECT: memory access past the end of a block: T1 writes 1 byte at offset 24, and the block has 24 bytes @main:NEXT @main:MAKE
 * EXPECT: memory access past the end of a block: T1 writes 8 bytes at offset 8, and the block has 8 bytes @main:WORD @main:MAKE
 * EXPECT: memory access past the end of a block: T1 reads 1 byte at offset 32, and the block has 24 bytes @main:BEYOND @main:MAKE
 * EXPECT: memory access before a block: T1 reads 1 byte 1 byte before the start of a block of 24 bytes @main:BEFORE @main:MAKE
 * EXPECT: memory access past the end of a block: T1 reads 1 byte at offset 32, and the block has 24 bytes and was freed @main:FREED
 * EXIT: 0
 */
#include "../program.h"

int main(void)
{
	volatile int zero = 0;
	char *block[3] = { malloc(24), malloc(24), malloc(24) }, *word = malloc(8); /* MAKE */
	int seen = 0;

	if (block[1] != block[0] + 48 || block[2] != block[1] + 48)
		return 1; /* libc puts them elsewhere: the lines below would be wrong */
	for (int i = 0; i < 24; i++)
		block[0][i] = block[1][i] = 1;
	*(long *)word = 1;
	block[2][zero + 24] = 0; /* NEXT */
	((long *)word)[zero + 1] = ((long *)word)[zero]; /* WORD */
	seen += block[0][zero + 32]; /* BEYOND */
	seen += block[1][zero - 1]; /* BEFORE */
	free(block[0]);
	seen += block[0][zero + 32]; /* FREED */
	free(block[1]);
	free(block[2]);
	free(word);
	zero = seen; /* whatever was there */
	return 0;
}
