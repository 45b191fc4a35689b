/*
 * A task that only waits cannot make one that signals.
 *
 * RUN: run --seed 1..3
 * EXPECT: misuse registers its child for more than it may do itself @root:SPAWN
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static void task(void *arg)
{
	hj_next();
}

static void root(void *arg)
{
#ifdef FIXED
	hj_phaser_t *ph = hj_phaser_new(HJ_SIG_WAIT);
#else
	hj_phaser_t *ph = hj_phaser_new(HJ_WAIT);
#endif

	hj_async_phased(task, NULL, HJ_PHASED({ ph, HJ_SIG })); /* SPAWN */
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
