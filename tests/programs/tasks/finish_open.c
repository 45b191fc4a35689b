/*
 * A task that does not end its finish.
 *
 * RUN: run --seed 1..3
 * EXPECT: misuse without ending the finish that it began here @leave:BEGIN
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static void task(void *arg)
{
}

static void leave(void *arg)
{
	hj_finish_begin(); /* BEGIN */
	hj_async(task, NULL);
#ifdef FIXED
	hj_finish_end();
#endif
}

static void root(void *arg)
{
	hj_async(leave, NULL);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
