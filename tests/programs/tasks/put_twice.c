/*
 * Two tasks put one promise.
 *
 * RUN: run --seed 1..3
 * EXPECT: misuse a promise is put a second time @task:PUT
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static hj_promise_t *p[2];

static void task(void *arg)
{
	hj_promise_put(arg, NULL); /* PUT */
}

static void root(void *arg)
{
	p[0] = hj_promise_new();
	p[1] = hj_promise_new();
	hj_async(task, p[0]);
#ifdef FIXED
	hj_async(task, p[1]);
#else
	hj_async(task, p[0]);
#endif
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
