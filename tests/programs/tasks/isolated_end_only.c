/*
 * An end without a beginning.
 *
 * RUN: run --seed 1..3
 * EXPECT: misuse hj_isolated_end without an isolated block @root:END
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static void root(void *arg)
{
#ifdef FIXED
	hj_isolated_begin();
#endif
	hj_isolated_end(); /* END */
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
