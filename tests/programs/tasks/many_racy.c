/*
 * Of 20,000 tasks in one finish, two write the same place: seen from the structure of the tasks, though
 * clocks of that many would be too long.
 *
 * RUN: run --algorithm complete --seed 1..2
 * EXPECT: race last @work
 */
#include "../program.h"

#include <heddle/hj.h>

#define N 20000

static long place[N], last[2];

static void work(void *arg)
{
	long i = (long)arg;

	place[i] = i;
	if (i >= N - 2)
		last[0] = place[i];
}

static void root(void *arg)
{
	HJ_FINISH {
		for (long i = 0; i < N; i++)
			hj_async(work, (void *)i);
	}
}

int main(void)
{
	hj_launch(root, NULL);
	return last[0] + last[1] < 0;
}
