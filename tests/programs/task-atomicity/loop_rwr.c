/*
 * RWR, in a parallel loop: no order of whole steps does what e1, f, e2 do.
 *
 * RUN: run --analyze --atomic-steps --seed 1..2
 * EXPECT: atomicity on 'shared' (RWR)
 */
#define LOOP
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
