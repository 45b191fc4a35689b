/*
 * A write through a null pointer in a thread.
 *
 * RUN: run --seed 1..5
 * EXPECT: crash SIGSEGV @worker:HERE
 * EXIT: SIGSEGV
 * OUTPUT: before
 * RUN: run --switch-at accesses --seed 1..5
 * EXPECT: crash SIGSEGV @worker:HERE
 */
#include "../program.h"

static int *volatile nowhere;

static void *worker(void *arg)
{
	puts("before");
	fflush(stdout);
	*nowhere = 1; /* HERE */
	return NULL;
}

int main(void)
{
	finish(start(worker, NULL));
	return 0;
}
