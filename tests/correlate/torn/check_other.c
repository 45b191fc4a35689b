/*
 * There is room is checked in one critical section, and used in the next, on another variable.
 * GOOD: in one.
 *
 * EXPECT: extended-race room used
 */
#include "../pair.h"

static volatile int room = 1, used;

static void a(void)
{
	int ok;

	LOCK(m);
	ok = room > 0;
#ifndef GOOD
	UNLOCK(m);
	LOCK(m);
#endif
	if (ok)
		used = used + 1;
	UNLOCK(m);
}

static void b(void)
{
	LOCK(m);
	used = used + 1;
	room = 0;
	UNLOCK(m);
}
