/*
 * Of a group, the tasks have only one member in common: a lone access to the other tears nothing.
 *
 * RUN: run --analyze --seed 1..2
 * EXPECT: clean
 * RUN: run --algorithm complete --atomic-steps --seed 1
 * EXPECT: clean
 */
#include "../program.h"

#include <heddle/heddle.h>
#include <heddle/hj.h>

#include "use.h"

static int x, y;

static void change_y(void *arg)
{
	HJ_ISOLATED y = 1;
}

static void update_x(void *arg)
{
	HJ_ISOLATED USE(x);
	HJ_ISOLATED x = 1;
}

static void root(void *arg)
{
	HEDDLE_GROUP(&x, sizeof(x), 1);
	HEDDLE_GROUP(&y, sizeof(y), 1);
	HJ_FINISH {
		hj_async(change_y, NULL);
		hj_async(update_x, NULL);
	}
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
