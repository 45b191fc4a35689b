/*
 * Each round of a loop reads a place that the next one writes. Another task writes one of them: a race, and
 * if it comes in between, what it wrote is lost.
 *
 * CC: -O2
 * RUN: run --parallel 2 --atomic-steps
 * EXPECT: race on 'row[500]'
 */
#include <heddle/hj.h>

#define N 1000

static int row[N];

static void sweep(void *arg)
{
	for (int i = 0; i < N - 1; i++)
		row[i] = row[i + 1] + 1;
}

static void set(void *arg)
{
	row[500] = 7;
}

static void root(void *arg)
{
	HJ_FINISH {
		hj_async(sweep, NULL);
		hj_async(set, NULL);
	}
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
