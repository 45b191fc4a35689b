/*
 * The derived value, in members of a block of the heap. GOOD: in one critical section.
 *
 * EXPECT: extended-race heap
 */
#include "../pair.h"

#include <stdlib.h>

struct state {
	int width, height, area;
} *s;

__attribute__((constructor)) static void make(void)
{
	s = calloc(1, sizeof(*s));
}

static void a(void)
{
	int w, h;

	LOCK(m);
	w = s->width;
	h = s->height;
#ifndef GOOD
	UNLOCK(m);
	LOCK(m);
#endif
	s->area = w * h;
	UNLOCK(m);
}

static void b(void)
{
	LOCK(m);
	s->width = 3;
	s->height = 4;
	s->area = 12;
	UNLOCK(m);
}
