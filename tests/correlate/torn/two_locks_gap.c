/*
 * Under one lock each, and the other thread holds both. GOOD: so does the first.
 *
 * EXPECT: extended-race x y
 */
#include "../pair.h"

static volatile int x = 1, y = 2;

static void a(void)
{
	int t;

	LOCK(m);
#ifdef GOOD
	LOCK(n);
#endif
	t = x;
#ifndef GOOD
	UNLOCK(m);
	LOCK(n);
#endif
	y = 2 * t;
	UNLOCK(n);
#ifdef GOOD
	UNLOCK(m);
#endif
}

static void b(void)
{
	LOCK(m);
	LOCK(n);
	x = 5;
	y = 10;
	UNLOCK(n);
	UNLOCK(m);
}
