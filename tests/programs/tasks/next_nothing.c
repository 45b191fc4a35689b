/*
 * hj_next without any phaser.
 *
 * RUN: run --seed 1..3
 * EXPECT: misuse hj_next of a task that is registered on no phaser @task:NEXT
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static void task(void *arg)
{
	hj_next(); /* NEXT */
}

static void root(void *arg)
{
	hj_phaser_t *ph = hj_phaser_new(HJ_SIG_WAIT);

#ifndef FIXED
	hj_phaser_drop(ph);
	hj_async(task, ph);
#else
	hj_async_phased(task, ph, HJ_PHASED({ ph, HJ_SIG }));
#endif
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
