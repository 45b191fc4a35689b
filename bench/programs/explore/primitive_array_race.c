/*
 * PrimitiveArrayRace: two tasks write to one array. Each has a region on its own element, but the
 * first also writes to the second's element, outside of its region. 3 tasks, 2 regions.
 *
 * Verdict: race, between the two writes of numbers[1]. Nothing orders the tasks. Regions alone do
 * not show it, since the regions are on different elements.
 */
#include <assert.h>
#include <heddle/hj.h>

static int numbers[2];

static void first(void *arg)
{
	(void)arg;
	hj_acquire_w_at(numbers, 0);
	numbers[0] = 1;
	hj_release_w_at(numbers, 0);
	numbers[1] = 1;
}

static void second(void *arg)
{
	(void)arg;
	hj_acquire_w_at(numbers, 1);
	numbers[1] = 2;
	hj_release_w_at(numbers, 1);
}

static void root(void *arg)
{
	(void)arg;
	HJ_FINISH {
		hj_async(first, NULL);
		hj_async(second, NULL);
	}
	assert(numbers[0] == 1 && numbers[1]); /* somebody needs them, or the compiler leaves them out */
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
