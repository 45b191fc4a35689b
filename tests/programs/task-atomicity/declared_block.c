/*
 * A block that the program declares atomic has two isolated reads: a finding without --atomic-steps.
 *
 * RUN: run --analyze --seed 1..2
 * EXPECT: atomicity on 'value' (RWR)
 * NEVER: race
 */
#include "../program.h"

#include <heddle/heddle.h>
#include <heddle/hj.h>

#include "use.h"

static int value;

static void look(void *arg)
{
	HEDDLE_ATOMIC {
#ifdef FIXED
		HJ_ISOLATED {
			USE(value);
			USE(value);
		}
#else
		HJ_ISOLATED USE(value);
		HJ_ISOLATED USE(value);
#endif
	}
}

static void change(void *arg)
{
	HJ_ISOLATED value = 1;
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
