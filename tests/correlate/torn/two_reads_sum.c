/*
 * Two parts are read in two critical sections and added up. GOOD: in one.
 *
 * EXPECT: extended-race x y
 * ALSO: total
 */
#include "../pair.h"

static volatile int x = 50, y = 50;
static volatile int total;

static void a(void)
{
	int first;

	LOCK(m);
	first = x;
#ifndef GOOD
	UNLOCK(m);
	LOCK(m);
#endif
	first += y;
	UNLOCK(m);
	total = first;
}

static void b(void)
{
	LOCK(m);
	x = x - 10;
	y = y + 10;
	UNLOCK(m);
}
