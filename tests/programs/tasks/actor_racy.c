/*
 * Sending orders what was before it, not what comes after.
 *
 * RUN: run --seed 1..3
 * EXPECT: race seen @root
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static int seen;

static void process(hj_actor_t *self, void *message, void *state)
{
	seen = *(int *)message;
	hj_actor_exit(self);
}

static void root(void *arg)
{
	static int message = 5;
	hj_actor_t *a = hj_actor_new(process, NULL);

	HJ_FINISH {
		hj_actor_start(a);
		hj_actor_send(a, &message);
#ifndef FIXED
		seen = 0;
#endif
	}
	assert(seen == 5 || !seen);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
