/*
 * WWR, below other tasks and a finish: no order of whole steps does what e1, f, e2 do.
 *
 * RUN: run --analyze --atomic-steps --seed 1..2
 * EXPECT: atomicity (WWR) @torn:FIRST @torn:SECOND @other:BETWEEN
 */
#define NESTED
#include "torn_step.h"

static void torn(void *arg)
{
	volatile long seen = 0;

	WHOLE {
		PART shared = seen + 1; /* FIRST */
		PART seen = shared; /* SECOND */
	}
	(void)seen;
}

static void other(void *arg)
{
	volatile long seen = 5;

	HJ_ISOLATED shared = seen + 1; /* BETWEEN */
	(void)seen;
}
