/*
 * Each thread collects in a record of its own, under the lock, what it saw; nobody else looks.
 *
 * EXPECT: none
 */
#include "../pair.h"

#include <stdlib.h>

static volatile int x = 1, y = 2;

struct seen {
	int x, y;
};

static void look(void)
{
	struct seen *own = malloc(sizeof(*own));

	for (int i = 0; i < 10; i++) {
		LOCK(m);
		own->x = x;
		UNLOCK(m);
		LOCK(m);
		own->y = y;
		UNLOCK(m);
	}
	LOCK(m);
	x = 3;
	UNLOCK(m);
	LOCK(m);
	y = 4;
	UNLOCK(m);
	free(own);
}

static void a(void)
{
	look();
}

static void b(void)
{
	look();
}
