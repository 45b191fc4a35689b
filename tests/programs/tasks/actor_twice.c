/*
 * An actor is one task.
 *
 * RUN: run --seed 1..3
 * EXPECT: misuse an actor is started a second time @root:AGAIN
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static void process(hj_actor_t *self, void *message, void *state)
{
	hj_actor_exit(self);
}

static void root(void *arg)
{
	hj_actor_t *a = hj_actor_new(process, NULL);

	hj_actor_start(a);
#ifndef FIXED
	hj_actor_start(a); /* AGAIN */
#endif
	hj_actor_send(a, NULL);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
