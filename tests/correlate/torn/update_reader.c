/*
 * Both parts are reset, in two critical sections, beside one that compares them. GOOD: in one.
 *
 * EXPECT: extended-race x y
 */
#include "../pair.h"

static volatile int x = 1, y = 1;

static void a(void)
{
	LOCK(m);
	x = 0;
#ifndef GOOD
	UNLOCK(m);
	LOCK(m);
#endif
	y = 0;
	UNLOCK(m);
}

static void b(void)
{
	int same;

	LOCK(m);
	same = x == y;
	UNLOCK(m);
	if (!same)
		puts("torn");
}
