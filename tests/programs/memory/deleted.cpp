/*
 * An object is used after it was deleted, and deleted twice; an array is left by one element.
 *
 * RUN: run --seed 1..3
 * EXPECT: memory use after free @look:LOOK @main:DELETE @main:NEW
 * EXPECT: memory double free @main:AGAIN @main:DELETE @main:NEW
 * EXPECT: memory access past the end of a block: T1 writes 4 bytes at offset 12, and the block has 12 bytes @fill:FILL @main:ARRAY
 * EXIT: 0
 */
#include "../program.h"

struct counter {
	int n = 3;
};

__attribute__((noinline)) static int look(const counter *c)
{
	return c->n; /* LOOK */
}

__attribute__((noinline)) static void fill(int *numbers, int n)
{
	for (int i = 0; i < n; i++)
		numbers[i] = i; /* FILL */
}

int main()
{
	counter *c = new counter, *volatile again = c; /* NEW */
	int *three = new int[3]; /* ARRAY */
	int sum = look(c);

	delete c; /* DELETE */
	sum += look(again);
	delete again; /* AGAIN */
	fill(three, 4);
	delete[] three;
	return sum == 6 ? 0 : 1;
}
