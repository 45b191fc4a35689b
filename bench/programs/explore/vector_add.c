/*
 * VectorAdd: one vector is added to another, half of it by each of two tasks, with one region for
 * all elements of a half. 3 tasks, 4 regions.
 *
 * Verdict: no race. The halves do not overlap.
 */
#include <assert.h>
#include <heddle/hj.h>

#define SIZE 50 /* elements of a half */

static int to[2 * SIZE], from[2 * SIZE];

static void upper(void *arg)
{
	(void)arg;
	hj_acquire_r_range(from, 0, SIZE);
	hj_acquire_w_range(to, 0, SIZE);
	for (int i = 0; i < SIZE; i++)
		to[i] += from[i];
	hj_release_w_range(to, 0, SIZE);
	hj_release_r_range(from, 0, SIZE);
}

static void lower(void *arg)
{
	(void)arg;
	hj_acquire_r_range(from, SIZE, (size_t)2 * SIZE);
	hj_acquire_w_range(to, SIZE, (size_t)2 * SIZE);
	for (int i = SIZE; i < 2 * SIZE; i++)
		to[i] += from[i];
	hj_release_w_range(to, SIZE, (size_t)2 * SIZE);
	hj_release_r_range(from, SIZE, (size_t)2 * SIZE);
}

static void root(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2 * SIZE; i++)
		from[i] = i;
	HJ_FINISH {
		hj_async(upper, NULL);
		hj_async(lower, NULL);
	}
	assert(to[2 * SIZE - 1] == 2 * SIZE - 1);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
