/*
 * An object is counted; the last who gives it back puts it into a list.
 *
 * EXPECT: none
 */
#include "../pair.h"

#include <stdlib.h>

struct object {
	struct object *next;
	int references, value;
};

static struct object *unused, *object;
static volatile int total;

__attribute__((constructor)) static void make(void)
{
	object = calloc(1, sizeof(*object));
	object->references = 2;
}

static void use(int v)
{
	int left;

	LOCK(m);
	object->value += v;
	UNLOCK(m);
	LOCK(m);
	left = --object->references;
	UNLOCK(m);
	if (!left) {
		LOCK(m);
		object->next = unused;
		unused = object;
		total = total + 1;
		UNLOCK(m);
	}
}

static void a(void)
{
	use(1);
}

static void b(void)
{
	use(2);
}
