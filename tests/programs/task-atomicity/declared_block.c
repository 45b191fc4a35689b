/*
 * A block that the program declares atomic has two isolated reads: a finding without --atomic-steps.
 *
 * RUN: run --analyze --seed 1..2
 * EXPECT: atomicity (RWR) @look:FIRST @look:SECOND @change:BETWEEN
 * NEVER: race
 */
#include "../program.h"

#include <heddle/heddle.h>
#include <heddle/hj.h>

static int value;

static void look(void *arg)
{
	volatile int seen;

	HEDDLE_ATOMIC {
#ifdef FIXED
		HJ_ISOLATED {
			seen = value;
			seen = value;
		}
#else
		HJ_ISOLATED seen = value; /* FIRST */
		HJ_ISOLATED seen = value; /* SECOND */
#endif
	}
	(void)seen;
}

static void change(void *arg)
{
	HJ_ISOLATED value = 1; /* BETWEEN */
}

static void root(void *arg)
{
	HJ_FINISH {
		hj_async(look, NULL);
		hj_async(change, NULL);
	}
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
