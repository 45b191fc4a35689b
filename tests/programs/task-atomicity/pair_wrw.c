/*
 * WRW, side by side: no order of whole steps does what e1, f, e2 do.
 *
 * RUN: run --analyze --atomic-steps --seed 1..2
 * EXPECT: atomicity (WRW) @torn:FIRST @torn:SECOND @other:BETWEEN
 * RUN: run --analyze --seed 1
 * EXPECT: clean
 */
#include "torn_step.h"

static void torn(void *arg)
{
	volatile long seen = 0;

	WHOLE {
		PART shared = seen + 1; /* FIRST */
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
