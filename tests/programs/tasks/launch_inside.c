/*
 * A launch inside a task.
 *
 * RUN: run --seed 1..3
 * EXPECT: misuse hj_launch inside a task @root:IN
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static int ran;

static void task(void *arg)
{
	ran++;
}

static void root(void *arg)
{
#ifdef FIXED
	hj_finish(task, NULL);
#else
	hj_launch(task, NULL); /* IN */
#endif
}

int main(void)
{
	hj_launch(root, NULL);
	assert(ran == 1);
	return 0;
}
