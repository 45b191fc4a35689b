/*
 * Blocks on different objects overlap: in some schedule one is inside while the other is.
 *
 * RUN: run
 * EXPECT: assertion met within 20 seeds
 */
#include "../program.h"

#include <heddle/hj.h>

static int a, b;
static _Atomic int inside, met;

static void go(void *arg)
{
	HJ_ISOLATED_ON(arg) {
		if (++inside == 2)
			met = 1;
		inside--;
	}
}

static void root(void *arg)
{
	HJ_FINISH {
		hj_async(go, &a);
		hj_async(go, &b);
	}
	assert(!met);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
