/*
 * ClumpedAccess: a task increments a number a thousand times, another reads it a thousand times, each
 * in one isolated block with a region in it. 3 tasks, 2 regions.
 *
 * Verdict: no race. The blocks exclude each other, so that the reader sees one value only. Two
 * thousand accesses are two places where the order matters.
 */
#include <assert.h>
#include <heddle/hj.h>

#define TIMES 1000

static int number;

static void writes(void *arg)
{
	(void)arg;
	HJ_ISOLATED {
		hj_acquire_w(&number);
		for (int i = 0; i < TIMES; i++)
			(*(volatile int *)&number)++;
		hj_release_w(&number);
	}
}

static void reads(void *arg)
{
	(void)arg;
	HJ_ISOLATED {
		long sum = 0;

		hj_acquire_r(&number);
		for (int i = 0; i < TIMES; i++)
			sum += *(volatile int *)&number;
		hj_release_r(&number);
		assert(sum == 0 || sum == (long)TIMES * TIMES);
	}
}

static void root(void *arg)
{
	(void)arg;
	hj_async(writes, NULL);
	hj_async(reads, NULL);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
