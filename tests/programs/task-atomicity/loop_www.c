/*
 * WWW, in a parallel loop: no order of whole steps does what e1, f, e2 do.
 *
 * RUN: run --analyze --atomic-steps --seed 1..2
 * EXPECT: atomicity on 'shared' (WWW)
 * RUN: run --algorithm complete --atomic-steps --seed 1..2
 * EXPECT: atomicity on 'shared' (WWW)
 */
#define LOOP
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
	HJ_ISOLATED shared = 1;
}
