/*
 * FinishTest3: tasks made by tasks, without a finish of their own: a task makes two others and ends; the
 * root's finish waits for all of them. 4 tasks, no regions.
 *
 * Verdict: no race. The tasks write to variables of their own, which the root reads after the finish.
 * What the maker wrote before it made them they may read.
 */
#include <assert.h>
#include <heddle/hj.h>

static int base, plus, times;

static void adds(void *arg)
{
	(void)arg;
	plus = base + 2;
}

static void multiplies(void *arg)
{
	(void)arg;
	times = base * 2;
}

static void makes(void *arg)
{
	(void)arg;
	base = 10;
	hj_async(adds, NULL);
	hj_async(multiplies, NULL);
}

static void root(void *arg)
{
	(void)arg;
	HJ_FINISH
		hj_async(makes, NULL);
	assert(plus == 12 && times == 20);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
