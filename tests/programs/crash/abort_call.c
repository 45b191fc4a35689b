/*
 * abort() in a thread, deep in calls.
 *
 * CC: -Wno-infinite-recursion
 * RUN: run --seed 1..5
 * EXPECT: crash SIGABRT @deep:HERE @worker
 * EXIT: SIGABRT
 * NEVER: assertion
 */
#include "../program.h"

static __attribute__((noinline)) int deep(int n)
{
	if (n == 0)
		abort(); /* HERE */
	return deep(n - 1) + 1;
}

static void *worker(void *arg)
{
	return (void *)(intptr_t)deep(5);
}

int main(void)
{
	finish(start(worker, NULL));
	return 0;
}
