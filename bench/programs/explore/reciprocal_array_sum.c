/*
 * ReciprocalArraySum: the sum of 1/x over an array, the lower half by a task, the upper one by the
 * root, each into an element of its own. 2 tasks, 2 regions.
 *
 * Verdict: no race. The sums are different elements, and the root adds them after the finish.
 */
#include <assert.h>
#include <heddle/hj.h>

#define SIZE 64

static double numbers[SIZE], sums[2];

static void lower(void *arg)
{
	(void)arg;
	hj_acquire_w_at(sums, 0);
	for (int i = 0; i < SIZE / 2; i++)
		sums[0] += 1 / numbers[i];
	hj_release_w_at(sums, 0);
}

static void upper(void)
{
	hj_acquire_w_at(sums, 1);
	for (int i = SIZE / 2; i < SIZE; i++)
		sums[1] += 1 / numbers[i];
	hj_release_w_at(sums, 1);
}

static void root(void *arg)
{
	(void)arg;
	for (int i = 0; i < SIZE; i++)
		numbers[i] = 2;
	HJ_FINISH {
		hj_async(lower, NULL);
		upper();
	}
	assert(sums[0] + sums[1] == SIZE / 2);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
