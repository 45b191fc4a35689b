/*
 * AsyncTest2: one task writes a number, another reads it, each in a region. 3 tasks, 2 regions.
 *
 * Verdict: race, on `number`. Nothing orders the tasks, and regions exclude nobody.
 */
#include <assert.h>

#include <heddle/hj.h>

static int number, copy;

static void writes(void *arg)
{
	(void)arg;
	hj_acquire_w(&number);
	number = 1;
	hj_release_w(&number);
}

static void reads(void *arg)
{
	(void)arg;
	hj_acquire_r(&number);
	copy = number;
	hj_release_r(&number);
}

static void root(void *arg)
{
	(void)arg;
	HJ_FINISH {
		hj_async(writes, NULL);
		hj_async(reads, NULL);
	}
	assert(copy == 0 || copy == 1); /* somebody needs it, or the compiler leaves it out */
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
