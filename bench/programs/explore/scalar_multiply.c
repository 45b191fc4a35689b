/*
 * ScalarMultiply: an array times a number, half of it by each of two tasks, with a region on each
 * element. 3 tasks, 2 regions.
 *
 * Verdict: no race. The halves do not overlap, and the number is only read.
 */
#include <assert.h>
#include <heddle/hj.h>

#define SIZE 16 /* elements of a half */

static int numbers[2 * SIZE], factor = 3;

static void upper(void *arg)
{
	(void)arg;
	for (size_t i = 0; i < SIZE; i++) {
		hj_acquire_w_at(numbers, i);
		numbers[i] *= factor;
		hj_release_w_at(numbers, i);
	}
}

static void lower(void *arg)
{
	(void)arg;
	for (size_t i = SIZE; i < 2 * SIZE; i++) {
		hj_acquire_w_at(numbers, i);
		numbers[i] *= factor;
		hj_release_w_at(numbers, i);
	}
}

static void root(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2 * SIZE; i++)
		numbers[i] = i;
	HJ_FINISH {
		hj_async(upper, NULL);
		hj_async(lower, NULL);
	}
	assert(numbers[2 * SIZE - 1] == 3 * (2 * SIZE - 1));
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
