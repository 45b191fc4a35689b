/*
 * A pointer to a block is kept over a realloc that may move it.
 *
 * RUN: run --seed 1..3
 * EXPECT: memory use after free @main:OLD @main:MOVE @main:MAKE
 * EXIT: 0
 */
#include "../program.h"

int main(void)
{
	int *numbers = malloc(4 * sizeof(int)), *more; /* MAKE */
	int *volatile old = numbers;
	int seen;

	numbers[0] = 7;
	more = realloc(numbers, 5 * sizeof(int)); /* MOVE */
	seen = old[0]; /* OLD */
	assert(more[0] == 7 && seen == 7);
	free(more);
	return 0;
}
