/*
 * A return out of a finish.
 *
 * RUN: run --seed 1..3
 * EXPECT: misuse HJ_FINISH is left by return @leave
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static int ran;

static void task(void *arg)
{
	ran = 1;
}

static int leave(int early)
{
	HJ_FINISH {
		hj_async(task, NULL);
#ifndef FIXED
		if (early)
			return 1;
#endif
	}
	return 0;
}

static void root(void *arg)
{
	leave(1);
	assert(ran); /* it waits all the same */
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
