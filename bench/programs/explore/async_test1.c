/*
 * AsyncTest1: fifty tasks write to an element of an array each. 51 tasks, no regions.
 *
 * Verdict: no race. The elements do not overlap, and the root reads them after the finish.
 */
#include <assert.h>
#include <heddle/hj.h>

#define TASKS 50

static long seen[TASKS];

static void note(void *arg)
{
	seen[(long)arg] = (long)arg;
}

static void root(void *arg)
{
	long sum = 0;

	(void)arg;
	HJ_FINISH {
		for (long i = 0; i < TASKS; i++)
			hj_async(note, (void *)i);
	}
	for (int i = 0; i < TASKS; i++)
		sum += seen[i];
	assert(sum == TASKS * (TASKS - 1) / 2);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
