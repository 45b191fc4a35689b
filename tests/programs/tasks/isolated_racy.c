/*
 * Blocks on different objects do not order what they share.
 *
 * RUN: run --seed 1..3
 * EXPECT: race shared @task
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static int a, b, shared;

static void task(void *arg)
{
	HJ_ISOLATED_ON(arg)
		shared++;
}

static void root(void *arg)
{
	HJ_FINISH {
		hj_async(task, &a);
#ifdef FIXED
		hj_async(task, &a);
#else
		hj_async(task, &b);
#endif
	}
	a = b = 0;
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
