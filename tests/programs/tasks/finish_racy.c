/*
 * A write inside the finish races with a task of it, one after it does not.
 *
 * RUN: run --seed 1..3
 * EXPECT: race value @writer
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static int value;

static void writer(void *arg)
{
	value = 1;
}

static void root(void *arg)
{
	HJ_FINISH {
		hj_async(writer, NULL);
#ifndef FIXED
		value = 2;
#endif
	}
	assert(value && (value = 3));
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
