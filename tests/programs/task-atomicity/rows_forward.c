/*
 * Each round of a loop writes what the next one reads. Another task writes one of these places: a race,
 * but no update is lost, as nothing is written there after it was read.
 *
 * CC: -O2
 * RUN: run --parallel 2 --atomic-steps
 * EXPECT: race on 'row[500]'
 * EXPECT: atomicity on 'row[500]' (WWR)
 */
#include <heddle/hj.h>

#define N 1000

static int row[N];

/* @arg: the row, by another name, so that no compiler keeps what was written for the next round. */
static void sweep(void *arg)
{
	const int *last = arg;

	for (int i = 1; i < N; i++)
		row[i] = last[i - 1] + 1;
}

static void set(void *arg)
{
	row[500] = 7;
}

static void root(void *arg)
{
	HJ_FINISH {
		hj_async(sweep, row);
		hj_async(set, NULL);
	}
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
