/*
 * Items are taken from one list and put into another, in two critical sections; both threads
 * do.
 *
 * EXPECT: none
 */
#include "../pair.h"

#include <stdlib.h>

struct item {
	struct item *next;
	int value;
};

static struct item *todo, *done;

__attribute__((constructor)) static void make(void)
{
	for (int i = 0; i < 20; i++) {
		struct item *new = calloc(1, sizeof(*new));

		new->next = todo;
		todo = new;
	}
}

static void move(void)
{
	for (int i = 0; i < 8; i++) {
		struct item *p;

		LOCK(m);
		p = todo;
		if (p)
			todo = p->next;
		UNLOCK(m);
		if (!p)
			return;
		p->value++;
		LOCK(m);
		p->next = done;
		done = p;
		UNLOCK(m);
	}
}

static void a(void)
{
	move();
}

static void b(void)
{
	move();
}
