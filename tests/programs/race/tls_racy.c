/*
 * A thread-local variable is lent to another thread without order.
 *
 * RUN: run --seed 1..5
 * EXPECT: race @set @main
 */
#include "../program.h"

static __thread volatile int mine;

static void *set(void *theirs)
{
	*(volatile int *)theirs = 1;
	return NULL;
}

int main(void)
{
	pthread_t t = start(set, (void *)&mine);
	int seen = mine;

	finish(t);
	return seen > 1;
}
