/*
 * y is always twice x; what it is made of was read in an earlier critical section. GOOD: in
 * one.
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
	y = 2 * t;
	UNLOCK(m);
}

static void b(void)
{
	LOCK(m);
	x = 5;
	y = 10;
	UNLOCK(m);
}
