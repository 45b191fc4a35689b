/*
 * The function returns early by what it saw in one critical section; otherwise it writes in
 * the next. GOOD: in one.
 *
 * EXPECT: extended-race limit level
 */
#include "../pair.h"

static volatile int limit = 10, level;

static void a(void)
{
	LOCK(m);
	if (limit < 5) {
		UNLOCK(m);
		return;
	}
#ifndef GOOD
	UNLOCK(m);
	LOCK(m);
#endif
	level = 5;
	UNLOCK(m);
}

static void b(void)
{
	LOCK(m);
	limit = 3;
	if (level > 3)
		level = 3;
	UNLOCK(m);
}
