/*
 * The last of two owners frees the object, but the count is relaxed.
 *
 * RUN: run --seed 1..5
 * EXPECT: race Free of size @use
 */
#include "../program.h"

struct object {
	int owners, values[2];
};

static struct object *object;

static void *use(void *arg)
{
	object->values[(intptr_t)arg] = 1;
	if (__atomic_fetch_sub(&object->owners, 1, __ATOMIC_RELAXED) == 1)
		free(object);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	object = calloc(1, sizeof(*object));
	object->owners = 2;
	a = start(use, (void *)0);
	b = start(use, (void *)1);
	finish(a);
	finish(b);
	return 0;
}
