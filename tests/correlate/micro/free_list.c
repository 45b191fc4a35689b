/*
 * An object is taken from a list, used, and put back.
 *
 * EXPECT: none
 */
#include "../pair.h"

#include <stdlib.h>

struct object {
	int use;
	struct object *next;
};

static struct object *list;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void)
{
	for (int i = 0; i < 4; i++) {
		struct object *o = calloc(1, sizeof(*o));

		o->next = list;
		list = o;
	}
}

static void loop(void)
{
	pthread_once(&once, make);
	for (int i = 0; i < 20; i++) {
		struct object *o;

		LOCK(m);
		o = list;
		list = o->next;
		UNLOCK(m);
		o->use++;
		LOCK(m);
		o->next = list;
		list = o;
		UNLOCK(m);
	}
}

static void a(void)
{
	loop();
}

static void b(void)
{
	loop();
}
