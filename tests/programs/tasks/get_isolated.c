/*
 * An isolated block waits.
 *
 * RUN: run --seed 1..3
 * EXPECT: misuse hj_future_get inside an isolated block @root:GET
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static void *task(void *arg)
{
	return arg;
}

static void root(void *arg)
{
	hj_future_t *f = hj_async_future(task, &f);
	void *value = NULL;

#ifdef FIXED
	value = hj_future_get(f);
	HJ_ISOLATED
		assert(value == &f);
#else
	HJ_ISOLATED
		value = hj_future_get(f); /* GET */
	assert(value == &f);
#endif
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
