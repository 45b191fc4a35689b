/*
 * What malloc never gave is freed and reallocated: a variable on the stack, a global one, the middle of
 * a block, an address that is nothing. It is told and ignored; realloc gives new memory.
 *
 * CC: -fno-builtin
 * RUN: run --seed 1..3
 * EXPECT: memory free of an address that is not a block: T1 frees an address that no allocation returned @main:STACK
 * EXPECT: memory free of an address that is not a block @main:GLOBAL
 * EXPECT: memory free of an address that is not a block: T1 frees an address inside a block of 40 bytes @main:MIDDLE @main:MAKE
 * EXPECT: memory free of an address that is not a block @main:NOTHING
 * EXPECT: memory realloc of an address that is not a block @main:MOVE
 * EXPECT: memory realloc of a freed block @main:LATE
 * EXIT: 0
 */
#include "../program.h"

static long global[8];

int main(void)
{
	long local[8] = { 0 };
	char *block = malloc(40), *moved; /* MAKE */
	void *volatile wrong; /* the compiler is not to see it */

	wrong = local;
	free(wrong); /* STACK */
	wrong = global;
	free(wrong); /* GLOBAL */
	wrong = block + 16;
	free(wrong); /* MIDDLE */
	wrong = (void *)(uintptr_t)0x123456789;
	free(wrong); /* NOTHING */
	wrong = global;
	moved = realloc(wrong, 100); /* MOVE */
	moved[99] = 1;
	free(moved);
	strcpy(block, "kept");
	wrong = block;
	free(wrong);
	moved = realloc(wrong, 100); /* LATE */
	assert(!strcmp(moved, "kept"));
	moved[99] = 1;
	free(moved);
	return 0;
}
