/*
 * A task that awaits begins after the put.
 *
 * RUN: run --seed 1..3
 * EXPECT: race input @use
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

int input;

static void use(void *arg)
{
	assert(input >= 0);
}

static void root(void *arg)
{
	hj_promise_t *p = hj_promise_new();
	hj_future_t *f = hj_promise_future(p);

#ifdef FIXED
	hj_async_await(use, NULL, &f, 1);
#else
	(void)f;
	hj_async(use, NULL);
#endif
	input = 1;
	hj_promise_put(p, NULL);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
