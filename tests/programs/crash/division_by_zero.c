/*
 * An integer division by zero.
 *
 * RUN: run --seed 1..5
 * EXPECT: crash SIGFPE @worker:HERE
 * EXIT: SIGFPE
 */
#include "../program.h"

static volatile int zero;

static void *worker(void *arg)
{
	return (void *)(intptr_t)(7 / zero); /* HERE */
}

int main(void)
{
	finish(start(worker, NULL));
	return 0;
}
