/*
 * The position is read in one critical section, and the entry and the new position are written
 * in the next. GOOD: in one.
 *
 * EXPECT: extended-race end
 * ALSO: log
 */
#include "../pair.h"

static volatile int log[64], end;

static void append(int v)
{
	int at;

	LOCK(m);
	at = end;
#ifndef GOOD
	UNLOCK(m);
	LOCK(m);
#endif
	log[at] = v;
	end = at + 1;
	UNLOCK(m);
}

static void a(void)
{
	append(1);
}

static void b(void)
{
	append(2);
}
