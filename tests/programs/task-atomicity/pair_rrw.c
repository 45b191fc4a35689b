/*
 * RRW, side by side: the same as one step after the other.
 *
 * RUN: run --analyze --atomic-steps --seed 1..2
 * EXPECT: clean
 */
#include "torn_step.h"

static void torn(void *arg)
{
	volatile long seen = 0;

	WHOLE {
		PART seen = shared; /* FIRST */
		PART shared = seen + 1; /* SECOND */
	}
	(void)seen;
}

static void other(void *arg)
{
	volatile long seen = 5;

	HJ_ISOLATED seen = shared; /* BETWEEN */
	(void)seen;
}
