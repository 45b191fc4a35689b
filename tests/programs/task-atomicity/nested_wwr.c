/*
 * WWR, below other tasks and a finish: no order of whole steps does what e1, f, e2 do.
 *
 * RUN: run --analyze --atomic-steps --seed 1..2
 * EXPECT: atomicity on 'shared' (WWR)
 * RUN: run --algorithm complete --atomic-steps --seed 1..2
 * EXPECT: atomicity on 'shared' (WWR)
 */
#define NESTED
#include "torn_step.h"

static void torn(void *arg)
{
	WHOLE {
		PART shared = 1;
		PART USE(shared);
	}
}

static void other(void *arg)
{
	HJ_ISOLATED shared = 1;
}
