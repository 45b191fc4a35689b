/*
 * A local variable of the main thread is written by another without order.
 *
 * RUN: run --seed 1..5
 * EXPECT: race @set @main
 */
#include "../program.h"

static void *set(void *local)
{
	*(int *)local = 1;
	return NULL;
}

int main(void)
{
	volatile int local = 0;
	pthread_t t = start(set, (void *)&local);
	int seen = local;

	finish(t);
	return seen > 1;
}
