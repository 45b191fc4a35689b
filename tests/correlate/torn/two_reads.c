/*
 * Two parts of a state are read in two critical sections and used together. GOOD: in one.
 *
 * EXPECT: extended-race x y
 */
#include "../pair.h"

static volatile int x = 1, y = 2, wrong;

static void a(void)
{
	int first, second;

	LOCK(m);
	first = x;
#ifndef GOOD
	UNLOCK(m);
	LOCK(m);
#endif
	second = y;
	UNLOCK(m);
	if (second != 2 * first)
		puts("torn");
}

static void b(void)
{
	LOCK(m);
	x = 5;
	y = 10;
	UNLOCK(m);
}
