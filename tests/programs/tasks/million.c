/*
 * A million tasks: donors are lent again, and only so many tasks wait to begin at a time.
 *
 * RUN: run --races no
 * EXPECT: clean
 */
#include "../program.h"

#include <heddle/hj.h>

#define N 1000000

static _Atomic long count;

static void one(void *arg)
{
	count++;
}

static void root(void *arg)
{
	HJ_FINISH {
		for (long i = 0; i < N; i++)
			hj_async(one, NULL);
	}
	assert(count == N);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
