/*
 * A future that waits for itself.
 *
 * RUN: run --seed 1..3
 * EXPECT: misuse a future's task waits for its own value @task:SELF
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static hj_future_t *f[2];
static hj_promise_t *known;

static void *task(void *arg)
{
	hj_future_get(hj_promise_future(known));
#ifndef FIXED
	hj_future_get(f[(long)arg]); /* SELF */
#endif
	return NULL;
}

static void root(void *arg)
{
	known = hj_promise_new();
	for (long i = 0; i < 2; i++)
		f[i] = hj_async_future(task, (void *)i);
	hj_promise_put(known, NULL);
	hj_future_get(f[0]);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
