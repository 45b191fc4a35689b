/*
 * A promise that nobody keeps.
 *
 * RUN: run --seed 1..3
 * EXPECT: deadlock future @root:GET
 * EXIT: 66
 */
#include "../program.h"

#include <heddle/hj.h>

static hj_promise_t *p;

static void put(void *arg)
{
	hj_promise_put(p, NULL);
}

static void root(void *arg)
{
	p = hj_promise_new();
#ifdef FIXED
	hj_async(put, NULL);
#else
	(void)put;
#endif
	hj_future_get(hj_promise_future(p)); /* GET */
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
