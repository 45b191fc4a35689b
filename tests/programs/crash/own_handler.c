/*
 * A program that handles SIGSEGV itself and goes on: no finding.
 *
 * RUN: run --seed 1..5
 * EXPECT: clean
 * OUTPUT: caught
 */
#include "../program.h"
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf back;
static int *volatile nowhere;

static void on_segv(int sig)
{
	siglongjmp(back, 1);
}

static void *worker(void *arg)
{
	if (sigsetjmp(back, 1) == 0)
		*nowhere = 1;
	else
		puts("caught");
	return NULL;
}

int main(void)
{
	signal(SIGSEGV, on_segv);
	finish(start(worker, NULL));
	return 0;
}
