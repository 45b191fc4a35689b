/*
 * An entry is written where the index says, and the index is advanced in the next critical
 * section; both threads do. GOOD: in one.
 *
 * EXPECT: extended-race log end
 */
#include "../pair.h"

static volatile int log[64], end;

static void append(int v)
{
	LOCK(m);
	log[end] = v;
#ifndef GOOD
	UNLOCK(m);
	LOCK(m);
#endif
	end = end + 1;
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
