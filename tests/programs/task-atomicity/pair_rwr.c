/*
 * RWR, side by side: no order of whole steps does what e1, f, e2 do.
 *
 * RUN: run --analyze --atomic-steps --seed 1..2
 * EXPECT: atomicity on 'shared' (RWR)
 * RUN: run --analyze --seed 1
 * EXPECT: clean
 * RUN: run --algorithm complete --atomic-steps --seed 1..2
 * EXPECT: atomicity on 'shared' (RWR)
 */
#include "torn_step.h"

static void torn(void *arg)
{
	WHOLE {
		PART USE(shared);
		PART USE(shared);
	}
}

static void other(void *arg)
{
	HJ_ISOLATED shared = 1;
}
