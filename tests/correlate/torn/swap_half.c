/*
 * Half a swap in one critical section, half in the next; the other only looks. GOOD: in one.
 *
 * EXPECT: extended-race x y
 */
#include "../pair.h"

static volatile int x = 1, y = 2;

static void a(void)
{
	int t;

	LOCK(m);
	t = x;
	x = y;
#ifndef GOOD
	UNLOCK(m);
	LOCK(m);
#endif
	y = t;
	UNLOCK(m);
}

static void b(void)
{
	int same;

	LOCK(m);
	same = x == y;
	UNLOCK(m);
	if (same)
		puts("torn");
}
