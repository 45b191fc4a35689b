/*
 * TwoDimArrays: ten tasks fill a matrix, a row each. 11 tasks, no regions.
 *
 * Verdict: no race. Rows do not overlap; that neighbouring rows are one object is no conflict.
 */
#include <assert.h>
#include <heddle/hj.h>

#define SIZE 10

static int matrix[SIZE][SIZE];

static void fill(void *arg)
{
	long row = (long)arg;

	for (int i = 0; i < SIZE; i++)
		matrix[row][i] = (int)row * i;
}

static void root(void *arg)
{
	(void)arg;
	HJ_FINISH {
		for (long row = 0; row < SIZE; row++)
			hj_async(fill, (void *)row);
	}
	assert(matrix[9][9] == 81);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
