/*
 * A single statement by a task that is registered without it.
 *
 * RUN: run --seed 1..3
 * EXPECT: misuse not registered as HJ_SIG_WAIT_SINGLE @root:SINGLE
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static int ran;

static void statement(void *arg)
{
	ran++;
}

static void root(void *arg)
{
#ifdef FIXED
	hj_phaser_new(HJ_SIG_WAIT_SINGLE);
#else
	hj_phaser_new(HJ_SIG_WAIT);
#endif
	hj_next_single(statement, NULL); /* SINGLE */
#ifdef FIXED
	assert(ran == 1);
#endif
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
