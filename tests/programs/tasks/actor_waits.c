/*
 * The finish waits for an actor that never exits.
 *
 * RUN: run --seed 1..3
 * EXPECT: deadlock actor
 * EXIT: 66
 */
#include "../program.h"

#include <heddle/hj.h>

static void process(hj_actor_t *self, void *message, void *state)
{
#ifdef FIXED
	hj_actor_exit(self);
#endif
}

static void root(void *arg)
{
	hj_actor_t *a = hj_actor_new(process, NULL);

	hj_actor_start(a);
	hj_actor_send(a, NULL);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
