/*
 * Items go from one thread to the other through a list under a lock; each is used without
 * it, before and after. GOOD. Otherwise the giver uses it once more.
 *
 * EXPECT: race heap
 */
#include "../pair.h"

#include <stdlib.h>

struct item {
	int value;
	struct item *next;
};

static struct item *head;

static void a(void)
{
	for (int i = 0; i < 5; i++) {
		struct item *it = malloc(sizeof(*it));

		it->value = i;
		LOCK(m);
		it->next = head;
		head = it;
		UNLOCK(m);
		sem_post(&to_b);
#ifndef GOOD
		*(volatile int *)&it->value = i + 1;
#endif
	}
}

static void b(void)
{
	for (int i = 0; i < 5; i++) {
		struct item *it;

		sem_wait(&to_b);
		LOCK(m);
		it = head;
		head = it->next;
		UNLOCK(m);
		*(volatile int *)&it->value = -1;
#ifdef GOOD
		free(it);
#endif
	}
}
