/*
 * RRR, below other tasks and a finish: the same as one step after the other.
 *
 * RUN: run --analyze --atomic-steps --seed 1..2
 * EXPECT: clean
 */
#define NESTED
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
	HJ_ISOLATED USE(shared);
}
