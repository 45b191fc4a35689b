/*
 * Two signals without a wait between them.
 *
 * RUN: run --seed 1..3
 * EXPECT: misuse a task signals twice in one phase @root:TWICE
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static void root(void *arg)
{
	hj_phaser_t *ph = hj_phaser_new(HJ_SIG_WAIT);

	hj_phaser_signal(ph);
#ifdef FIXED
	hj_phaser_wait(ph);
#endif
	hj_phaser_signal(ph); /* TWICE */
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
