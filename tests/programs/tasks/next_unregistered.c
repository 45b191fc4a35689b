/*
 * A task that was not registered on the phaser.
 *
 * RUN: run --seed 1..3
 * EXPECT: misuse hj_phaser_next on a phaser that the task is not registered on @task:NEXT
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static void task(void *arg)
{
	hj_phaser_next(arg); /* NEXT */
}

static void root(void *arg)
{
	hj_phaser_t *ph = hj_phaser_new(HJ_SIG_WAIT);

#ifdef FIXED
	hj_async_phased(task, ph, HJ_PHASED({ ph, HJ_SIG_WAIT }));
#else
	hj_async(task, ph);
#endif
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
