/*
 * Only getting a future orders what its task did.
 *
 * RUN: run --seed 1..3
 * EXPECT: race value @writer
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static int value;

static void *writer(void *arg)
{
	value = 1;
	return NULL;
}

static void root(void *arg)
{
	hj_future_t *f = hj_async_future(writer, NULL);

#ifdef FIXED
	hj_future_get(f);
#else
	while (!hj_future_ready(f)) /* seeing is not getting */
		hj_yield();
#endif
	assert(value == 1);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
