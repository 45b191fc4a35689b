/*
 * A sum in a loop of isolated blocks: its steps are torn, and it is right. Only a candidate.
 *
 * RUN: run --analyze --seed 1..2
 * EXPECT: clean
 * RUN: run --analyze --atomic-steps --seed 1
 * EXPECT: atomicity on 'sum' (WWR)
 */
#include "../program.h"

#include <heddle/hj.h>

static int sum;

static void add(void *arg)
{
	for (int i = 0; i < 4; i++) {
		HJ_ISOLATED sum += i;
	}
}

static void root(void *arg)
{
	HJ_FINISH {
		hj_async(add, NULL);
		hj_async(add, NULL);
	}
	assert(sum == 12);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
