/*
 * Both parts get one value, in two critical sections, beside one that compares them. GOOD: in
 * one.
 *
 * EXPECT: extended-race x y
 */
#include "../pair.h"

#include <stdlib.h>

static volatile int x, y;

static void a(void)
{
	for (int i = 1; i < 10; i++) {
		LOCK(m);
		x = i;
#ifndef GOOD
		UNLOCK(m);
		LOCK(m);
#endif
		y = i;
		UNLOCK(m);
	}
}

static void b(void)
{
	for (int i = 1; i < 10; i++) {
		LOCK(m);
		if (x != y)
			puts("torn");
		UNLOCK(m);
	}
}
