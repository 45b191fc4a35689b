/*
 * Recursion without end in a thread: a crash with a report, not a silent death.
 *
 * CC: -Wno-infinite-recursion
 * RUN: run --seed 1..3
 * EXPECT: crash SIGSEGV @recurse
 * EXIT: SIGSEGV
 */
#include "../program.h"

static volatile int go = 1;

static __attribute__((noinline)) int recurse(int n)
{
	volatile char frame[512];

	frame[n % 512] = (char)n;
	return go ? recurse(n + 1) + frame[n % 512] : 0;
}

static void *worker(void *arg)
{
	return (void *)(intptr_t)recurse(0);
}

int main(void)
{
	finish(start(worker, NULL));
	return 0;
}
