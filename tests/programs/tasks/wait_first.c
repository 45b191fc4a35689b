/*
 * It would wait for itself.
 *
 * RUN: run --seed 1..3
 * EXPECT: misuse a task waits for a phase that it has not signalled itself @root:WAIT
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static void root(void *arg)
{
	hj_phaser_t *ph = hj_phaser_new(HJ_SIG_WAIT);

#ifdef FIXED
	hj_phaser_signal(ph);
#endif
	hj_phaser_wait(ph); /* WAIT */
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
