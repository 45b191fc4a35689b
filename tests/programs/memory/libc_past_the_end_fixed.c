/*
 * libc's functions, called by the program, fill blocks to their last byte.
 *
 * CC: -fno-builtin
 * RUN: run --seed 1..3
 * EXPECT: clean
 */
#include "../program.h"

int main(void)
{
	char *block = malloc(10), *other = malloc(10);
	FILE *null = fopen("/dev/null", "w");

	memcpy(block, "0123456789", 10);
	assert(strnlen(block, 10) == 10);
	assert(!strncmp(block, "0123456789", 10));
	assert(memchr(block, 'x', 10) == NULL);
	assert(memchr(block, '9', 1000) == block + 9);
	fwrite(block, 1, 10, null);
	strncpy(other, block, 10);
	strcpy(block, "012345678");
	snprintf(block, 10, "%d", 1234567890);
	assert(strlen(block) == 9);
	memset(block + 5, 0, 5);
	strcat(block, "5678");
	fclose(null);
	free(block);
	free(other);
	return 0;
}
