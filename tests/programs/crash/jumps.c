/*
 * setjmp and longjmp within threads, over frames and cleanup handlers.
 *
 * CC: -Wno-infinite-recursion
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"
#include <setjmp.h>

static void jump_from(jmp_buf back, int depth)
{
	if (depth == 0)
		longjmp(back, 3);
	sched_yield();
	jump_from(back, depth - 1);
}

static void *worker(void *arg)
{
	volatile int rounds = 0;
	jmp_buf back;

	if (setjmp(back) == 3)
		rounds++;
	if (rounds < 5)
		jump_from(back, 10);
	assert(rounds == 5);
	return NULL;
}

int main(void)
{
	pthread_t t = start(worker, NULL), u = start(worker, NULL);

	worker(NULL);
	finish(t);
	finish(u);
	return 0;
}
