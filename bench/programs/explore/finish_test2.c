/*
 * FinishTest2: a task makes another one in a finish and goes on with what that one wrote; the root
 * then reads what the task made of it. 3 tasks, no regions.
 *
 * Verdict: no race. The inner finish orders the inner task before its maker's next step, the outer
 * one that step before the root's.
 */
#include <assert.h>
#include <heddle/hj.h>

static int number;

static void inner(void *arg)
{
	(void)arg;
	number = 20;
}

static void outer(void *arg)
{
	(void)arg;
	HJ_FINISH
		hj_async(inner, NULL);
	number++;
}

static void root(void *arg)
{
	(void)arg;
	HJ_FINISH
		hj_async(outer, NULL);
	number *= 2;
	assert(number == 42);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
