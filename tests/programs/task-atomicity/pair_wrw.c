/*
 * WRW, side by side: no order of whole steps does what e1, f, e2 do.
 *
 * RUN: run --analyze --atomic-steps --seed 1..2
 * EXPECT: atomicity on 'shared' (WRW)
 * RUN: run --analyze --seed 1
 * EXPECT: clean
 * RUN: run --algorithm complete --atomic-steps --seed 1..2
 * EXPECT: atomicity on 'shared' (WRW)
 */
#include "torn_step.h"

static void torn(void *arg)
{
	WHOLE {
		PART shared = 1;
		PART shared = 1;
	}
}

static void other(void *arg)
{
	HJ_ISOLATED USE(shared);
}
