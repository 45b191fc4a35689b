/*
 * Two tasks sweep through a part of an array each, which meet in the middle of a line; the sum comes after
 * both of them. What they read of another array nobody writes meanwhile.
 *
 * CC: -O2
 * RUN: run --parallel 2 --atomic-steps
 * EXPECT: clean
 */
#include <heddle/hj.h>

#define N      1001
#define MIDDLE 501

static int row[N], other[N];
static long sum;

static void sweep(void *arg)
{
	int from = arg ? MIDDLE : 0, end = arg ? N : MIDDLE;

	for (int i = from + 1; i < end; i++)
		row[i] = row[i - 1] + other[i];
	for (int i = from; i < end - 1; i++)
		row[i] = row[i + 1] + other[i];
	for (int i = from; i < end; i++)
		row[i] += 2;
}

static void root(void *arg)
{
	for (int round = 0; round < 3; round++) {
		HJ_FINISH {
			hj_async(sweep, NULL);
			hj_async(sweep, &sum);
		}
		for (int i = 0; i < N; i++)
			sum += row[i];
		for (int i = 0; i < N; i++)
			other[i] = row[i] & 3;
	}
}

int main(void)
{
	hj_launch(root, NULL);
	return sum < 0;
}
