/*
 * FinishTest1: two tasks, one after the other, each in a finish of its own, change one number.
 * 3 tasks, no regions.
 *
 * Verdict: no race. The first finish ends before the second task is made.
 */
#include <assert.h>
#include <heddle/hj.h>

static int number;

static void add(void *arg)
{
	number = 2 * number + (int)(long)arg;
}

static void root(void *arg)
{
	(void)arg;
	HJ_FINISH
		hj_async(add, (void *)1L);
	HJ_FINISH
		hj_async(add, (void *)5L);
	assert(number == 7);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
