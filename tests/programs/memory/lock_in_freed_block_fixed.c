/*
 * An object is freed by the thread that leaves it last, after it has unlocked its mutex.
 *
 * RUN: run --seed 1..10
 * EXPECT: clean
 */
#include "../program.h"

struct object {
	pthread_mutex_t m;
	int users;
};

static void *leave(void *arg)
{
	struct object *o = arg;
	int left;

	pthread_mutex_lock(&o->m);
	left = --o->users;
	pthread_mutex_unlock(&o->m);
	if (left == 0) {
		pthread_mutex_destroy(&o->m);
		free(o);
	}
	return NULL;
}

int main(void)
{
	struct object *o = malloc(sizeof(*o));
	pthread_t t;

	pthread_mutex_init(&o->m, NULL);
	o->users = 2;
	t = start(leave, o);
	leave(o);
	finish(t);
	return 0;
}
