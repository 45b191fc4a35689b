/*
 * One waits for the other at a phaser, and that for the first at a future.
 *
 * RUN: run --seed 1..3
 * EXPECT: deadlock phaser @ahead:NEXT
 * EXIT: 66
 */
#include "../program.h"

#include <heddle/hj.h>

static hj_promise_t *p;

static void behind(void *arg)
{
#ifdef FIXED
	hj_next();
#endif
	hj_future_get(hj_promise_future(p));
	hj_next();
}

static void ahead(void *arg)
{
	hj_next(); /* NEXT */
	hj_promise_put(p, NULL);
	hj_next();
}

static void root(void *arg)
{
	hj_phaser_t *ph = hj_phaser_new(HJ_SIG_WAIT);

	p = hj_promise_new();
	hj_async_phased(behind, NULL, HJ_PHASED({ ph, HJ_SIG_WAIT }));
	hj_async_phased(ahead, NULL, HJ_PHASED({ ph, HJ_SIG_WAIT }));
	hj_phaser_drop(ph);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
