/*
 * A task does the same to a variable again and again, and others look at it, but never at the same time.
 * Memory that it has done so with is given back, and the next has the same address.
 *
 * RUN: run --parallel 2
 * EXPECT: clean
 */
#include <stdlib.h>

#include <heddle/hj.h>

static long *counter, seen[2];

static __attribute__((noinline)) void bump(void)
{
	for (int i = 0; i < 10; i++)
		++*(volatile long *)counter;
}

static void look(void *arg)
{
	for (int i = 0; i < 10; i++)
		*(long *)arg += *(volatile long *)counter;
}

static void root(void *arg)
{
	for (int round = 0; round < 3; round++) {
		counter = calloc(1, sizeof(*counter));
		bump();
		HJ_FINISH {
			hj_async(look, &seen[0]);
			hj_async(look, &seen[1]);
		}
		bump();
		free(counter);
	}
}

int main(void)
{
	hj_launch(root, NULL);
	return seen[0] != seen[1];
}
