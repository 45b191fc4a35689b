/*
 * An object is freed by the thread that leaves it last, which then unlocks its mutex.
 *
 * RUN: run --seed 1..5
 * EXPECT: memory use after free: T2 uses a synchronisation object @leave:UNLOCK @leave:FREE @main
 * EXIT: 0
 */
#include "../program.h"

struct object {
	pthread_mutex_t m;
	int users;
};

static void *leave(void *arg)
{
	struct object *o = arg;

	pthread_mutex_lock(&o->m);
	if (--o->users == 0)
		free(o); /* FREE */
	pthread_mutex_unlock(&o->m); /* UNLOCK */
	return NULL;
}

int main(void)
{
	struct object *o = malloc(sizeof(*o));

	pthread_mutex_init(&o->m, NULL);
	o->users = 1;
	finish(start(leave, o));
	return 0;
}
