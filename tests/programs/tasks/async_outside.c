/*
 * A task outside of hj_launch: it runs as a call.
 *
 * RUN: run --seed 1..3
 * EXPECT: misuse hj_async outside of hj_launch @main:OUT
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static int ran;

static void task(void *arg)
{
	ran++;
}

static void root(void *arg)
{
	hj_async(task, NULL);
}

int main(void)
{
#ifdef FIXED
	hj_launch(root, NULL);
#else
	(void)root;
	hj_async(task, NULL); /* OUT */
#endif
	assert(ran == 1);
	return 0;
}
