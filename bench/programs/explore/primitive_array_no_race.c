/*
 * PrimitiveArrayNoRace: two tasks write to one array, each to an element of its own; the root reads
 * both after the finish. 3 tasks, no regions.
 *
 * Verdict: no race. The elements do not overlap, and the finish orders the writes before the reads.
 */
#include <assert.h>
#include <heddle/hj.h>

static int numbers[2];

static void first(void *arg)
{
	(void)arg;
	numbers[0] = 1;
}

static void second(void *arg)
{
	(void)arg;
	numbers[1] = 2;
}

static void root(void *arg)
{
	(void)arg;
	HJ_FINISH {
		hj_async(first, NULL);
		hj_async(second, NULL);
	}
	assert(numbers[0] + numbers[1] == 3);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
