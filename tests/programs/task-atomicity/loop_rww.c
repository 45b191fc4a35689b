/*
 * RWW, in a parallel loop: no order of whole steps does what e1, f, e2 do.
 *
 * RUN: run --analyze --atomic-steps --seed 1..2
 * EXPECT: atomicity (RWW) @torn:FIRST @torn:SECOND @other:BETWEEN
 * RUN: run --analyze --seed 1
 * EXPECT: atomicity (RWW) @torn:FIRST @torn:SECOND @other:BETWEEN
 */
#define LOOP
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

	HJ_ISOLATED shared = seen + 1; /* BETWEEN */
	(void)seen;
}
