/*
 * A finish can only be ended by the task that began it.
 *
 * RUN: run --seed 1..3
 * EXPECT: misuse hj_finish_end without a finish that this task began @task:END
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static void task(void *arg)
{
#ifdef FIXED
	hj_finish_begin();
#endif
	hj_finish_end(); /* END */
}

static void root(void *arg)
{
	hj_finish_begin();
	hj_async(task, NULL);
	hj_finish_end();
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
