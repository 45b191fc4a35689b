/*
 * Two variables that belong together, below other tasks and a finish: a reader may see one new and one old.
 *
 * RUN: run --analyze --seed 1..2
 * EXPECT: atomicity in group 1
 * NEVER: race
 * RUN: run --algorithm complete --seed 1
 * EXPECT: atomicity in group 1
 */
#include <heddle/heddle.h>

static struct {
	int x, y;
} point;

#define BEFORE                                                                                     \
	HEDDLE_GROUP(&point.x, sizeof(point.x), 1);                                                \
	HEDDLE_GROUP(&point.y, sizeof(point.y), 1)
#define NESTED
#include "torn_step.h"

static void torn(void *arg)
{
	WHOLE {
		PART point.x = 1;
		PART point.y = 1;
	}
}

static void other(void *arg)
{
	HJ_ISOLATED {
		USE(point.x);
		USE(point.y);
	}
}
