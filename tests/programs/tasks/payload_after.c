/*
 * What is done to a message after it was sent, and to data after its flag was set, is not before the receiver:
 * in every order of this run, on fibers and on workers.
 *
 * RUN: run --races no --algorithm complete --seed 1..5
 * EXPECT: race payload @root
 * EXPECT: race data @root
 * RUN: run --parallel 2
 * EXPECT: race payload @root
 * EXPECT: race data @root
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>
#include <stdatomic.h>

static int payload = 5, data, got;
static atomic_int flag;

static void process(hj_actor_t *self, void *message, void *state)
{
	got += *(int *)message;
	hj_actor_exit(self);
}

static void look(void *arg)
{
	if (atomic_load(&flag))
		got += data;
}

static void root(void *arg)
{
	hj_actor_t *a = hj_actor_new(process, NULL);

	data = 1;
	HJ_FINISH
	{
		hj_actor_start(a);
		hj_actor_send(a, &payload);
#ifndef FIXED
		payload = 6;
#endif
	}
	hj_actor_free(a);
	HJ_FINISH
	{
		atomic_store(&flag, 1);
		hj_async(look, NULL);
		atomic_store(&flag, 2);
#ifndef FIXED
		data = 2;
#endif
	}
}

int main(void)
{
	hj_launch(root, NULL);
	return got < 0;
}
