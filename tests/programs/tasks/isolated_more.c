/*
 * Taking a second object while holding a first can end in a circle of waits.
 *
 * RUN: run --seed 1..3
 * EXPECT: misuse needs more than the isolated block around it has @root:INNER
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static int a, b;

static void root(void *arg)
{
#ifdef FIXED
	HJ_ISOLATED_ON(&a, &b) {
#else
	HJ_ISOLATED_ON(&a) {
#endif
		a++;
		HJ_ISOLATED_ON(&b) /* INNER */
			b++;
	}
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
