/*
 * Two variables that belong together, changed in two isolated blocks: a reader may see one new and
 * one old.
 *
 * RUN: run --analyze --seed 1..2
 * EXPECT: atomicity in group 1
 * NEVER: race
 * RUN: run --algorithm complete --seed 1
 * EXPECT: atomicity in group 1
 */
#include "../program.h"

#include <heddle/heddle.h>
#include <heddle/hj.h>

#include "use.h"

static struct {
	int x, y;
} point;

static void move(void *arg)
{
#ifdef FIXED
	HJ_ISOLATED {
		point.x = 1;
		point.y = 1;
	}
#else
	HJ_ISOLATED point.x = 1;
	HJ_ISOLATED point.y = 1;
#endif
}

static void look(void *arg)
{
	HJ_ISOLATED {
		USE(point.x);
		USE(point.y);
	}
}

static void root(void *arg)
{
	HEDDLE_GROUP(&point.x, sizeof(point.x), 1);
	HEDDLE_GROUP(&point.y, sizeof(point.y), 1);
	HJ_FINISH {
		hj_async(move, NULL);
		hj_async(look, NULL);
	}
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
