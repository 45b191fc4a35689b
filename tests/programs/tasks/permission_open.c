/*
 * A region that is never closed.
 *
 * RUN: run --seed 1..3
 * EXPECT: misuse ended with a permission region that it opened here @task:OPEN
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static int x;

static void task(void *arg)
{
	hj_acquire_w(&x); /* OPEN */
	x = 1;
#ifdef FIXED
	hj_release_w(&x);
#endif
}

static void root(void *arg)
{
	hj_async(task, NULL);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
