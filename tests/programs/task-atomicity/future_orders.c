/*
 * The writer waits for the reader's future: not parallel. Without FIXED nobody waits, and there is a race
 * in every schedule, whichever this one is.
 *
 * RUN: run --analyze --seed 1..4
 * EXPECT: race on 'value'
 */
#include "../program.h"

#include <heddle/hj.h>

#include "use.h"

static int value;

static void *read_twice(void *arg)
{
	USE(value);
	USE(value);
	return NULL;
}

static void change(void *arg)
{
#ifdef FIXED
	hj_future_get(arg);
#endif
	value = 1;
}

static void root(void *arg)
{
	hj_future_t *f = NULL;

	HJ_FINISH {
		f = hj_async_future(read_twice, NULL);
		hj_async(change, f);
	}
	hj_future_free(f);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
