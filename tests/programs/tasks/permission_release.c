/*
 * The other kind of region was opened.
 *
 * RUN: run --seed 1..3
 * EXPECT: misuse release of a permission to write that the task does not have @root:RELEASE
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static int x;

static void root(void *arg)
{
#ifdef FIXED
	hj_acquire_w(&x);
#else
	hj_acquire_r(&x);
#endif
	hj_release_w(&x); /* RELEASE */
#ifndef FIXED
	hj_release_r(&x);
#endif
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
