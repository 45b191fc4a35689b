/*
 * libc's functions, called by the program, go past the end of blocks.
 *
 * CC: -fno-builtin
 * RUN: run --seed 1..3
 * EXPECT: memory writes 12 bytes at offset 0, and the block has 10 bytes @main:MEMCPY @main
 * EXPECT: memory writes 11 bytes at offset 0, and the block has 10 bytes @main:STRCPY @main
 * EXPECT: memory writes 11 bytes at offset 0, and the block has 10 bytes @main:SPRINTF @main
 * EXPECT: memory writes 6 bytes at offset 5, and the block has 10 bytes @main:MEMSET @main
 * EXPECT: memory reads 11 bytes at offset 0, and the block has 10 bytes @main:WRITE @main
 * EXPECT: memory access past the end of a block @main:STRLEN @main
 * EXIT: 0
 */
#include "../program.h"

int main(void)
{
	static const char twelve[] = "0123456789ab";
	char *block[6];
	FILE *null = fopen("/dev/null", "w");

	for (int i = 0; i < 6; i++)
		block[i] = malloc(10);
	memcpy(block[0], twelve, 12); /* MEMCPY */
	strcpy(block[1], "0123456789"); /* STRCPY */
	sprintf(block[2], "%d", 1234567890); /* SPRINTF */
	memset(block[3] + 5, 0, 6); /* MEMSET */
	memset(block[4], 'a', 10);
	fwrite(block[4], 1, 11, null); /* WRITE */
	memset(block[5], 'a', 10);
	block[5] = realloc(block[5], 9);
	printf("%zu\n", strlen(block[5])); /* STRLEN */
	fclose(null);
	for (int i = 0; i < 6; i++)
		free(block[i]);
	return 0;
}
