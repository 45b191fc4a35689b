/*
 * A future that was never made is waited for.
 *
 * RUN: run --seed 1..3
 * EXPECT: misuse hj_future_get of no future @root:GET
 * EXPECT: misuse hj_future_ready of no future @root:READY
 * EXPECT: misuse hj_promise_put to no promise @root:PUT
 * EXPECT: misuse a task awaits no future: number 1 is NULL @root:AWAIT
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static void *value(void *arg)
{
	return arg;
}

static void after(void *arg)
{
	assert(*(int *)arg == 7);
}

static void root(void *arg)
{
	int seven = 7;
	hj_future_t *f = hj_async_future(value, &seven);
#ifdef FIXED
	hj_future_t *both[] = { f, f };

	hj_promise_t *promise = hj_promise_new();

	assert(hj_future_get(f) == &seven);
	assert(hj_future_ready(f));
	hj_promise_put(promise, &seven);
#else
	hj_future_t *none = NULL, *both[] = { f, none };

	assert(hj_future_get(none) == NULL); /* GET */
	assert(hj_future_ready(none)); /* READY */
	hj_promise_put(NULL, &seven); /* PUT */
#endif
	HJ_FINISH
		hj_async_await(after, &seven, both, 2); /* AWAIT */
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
