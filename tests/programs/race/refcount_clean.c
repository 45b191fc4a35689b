/*
 * The last of two owners frees the object: the count releases and acquires.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

struct object {
	int owners, values[2];
};

static struct object *object;

static void *use(void *arg)
{
	object->values[(intptr_t)arg] = 1;
	if (__atomic_fetch_sub(&object->owners, 1, __ATOMIC_ACQ_REL) == 1)
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
