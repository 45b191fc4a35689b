/*
 * Add: the sum of two matrices, the upper half by one task, the lower half by another, with regions on
 * each element that is read or written. 3 tasks, 6 regions.
 *
 * Verdict: no race. The halves of the sum do not overlap, and the others are only read.
 */
#include <assert.h>
#include <heddle/hj.h>

#define SIZE 8 /* elements of a half */

static int a[2 * SIZE], b[2 * SIZE], sum[2 * SIZE];

static void upper(void *arg)
{
	(void)arg;
	for (size_t i = 0; i < SIZE; i++) {
		hj_acquire_r_at(a, i);
		hj_acquire_r_at(b, i);
		hj_acquire_w_at(sum, i);
		sum[i] = a[i] + b[i];
		hj_release_w_at(sum, i);
		hj_release_r_at(b, i);
		hj_release_r_at(a, i);
	}
}

static void lower(void *arg)
{
	(void)arg;
	for (size_t i = SIZE; i < 2 * SIZE; i++) {
		hj_acquire_r_at(a, i);
		hj_acquire_r_at(b, i);
		hj_acquire_w_at(sum, i);
		sum[i] = a[i] + b[i];
		hj_release_w_at(sum, i);
		hj_release_r_at(b, i);
		hj_release_r_at(a, i);
	}
}

static void root(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2 * SIZE; i++) {
		a[i] = i;
		b[i] = 100 - i;
	}
	HJ_FINISH {
		hj_async(upper, NULL);
		hj_async(lower, NULL);
	}
	for (int i = 0; i < 2 * SIZE; i++)
		assert(sum[i] == 100);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
