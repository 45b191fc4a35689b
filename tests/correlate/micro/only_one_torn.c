/*
 * One thread tears its update apart, the other writes properly. GOOD: neither does.
 *
 * EXPECT: extended-race level
 * WHY: released in between
 */
#include "../pair.h"

static volatile int level = 5;

static void a(void)
{
	int old;

	LOCK(m);
	old = level;
#ifndef GOOD
	UNLOCK(m);
	LOCK(m);
#endif
	level = old - 1;
	UNLOCK(m);
}

static void b(void)
{
	LOCK(m);
	level = 9;
	UNLOCK(m);
}
