/*
 * A swap in three critical sections. GOOD: in one.
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
#ifndef GOOD
	UNLOCK(m);
	LOCK(m);
#endif
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
	int t;

	LOCK(m);
	t = x;
	x = y;
	y = t;
	UNLOCK(m);
}
