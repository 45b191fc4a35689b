/*
 * A reader without the lock. GOOD: with it.
 *
 * EXPECT: race x
 */
#include "../pair.h"

static volatile int x;

static void a(void)
{
	LOCK(m);
	x++;
	UNLOCK(m);
}

static void b(void)
{
	int seen;

#ifdef GOOD
	LOCK(m);
#endif
	seen = x;
#ifdef GOOD
	UNLOCK(m);
#endif
	if (seen > 9)
		puts("many");
}
