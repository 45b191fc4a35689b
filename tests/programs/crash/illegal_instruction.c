/*
 * What the compiler puts where code cannot be reached.
 *
 * RUN: run --seed 1..3
 * EXPECT: crash @worker:HERE
 */
#include "../program.h"

static void *worker(void *arg)
{
	__builtin_trap(); /* HERE */
	return NULL;
}

int main(void)
{
	finish(start(worker, NULL));
	return 0;
}
