/*
 * The same with the old floating-point unit.
 *
 * EXPECT: extended-race value
 */
#include "../pair.h"

static volatile long double value = 4;

static void halve(void)
{
	long double old;

	LOCK(m);
	old = value;
#ifndef GOOD
	UNLOCK(m);
	LOCK(m);
#endif
	value = old / 2;
	UNLOCK(m);
}

static void a(void)
{
	halve();
}

static void b(void)
{
	halve();
}
