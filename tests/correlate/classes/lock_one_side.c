/*
 * One of the two takes no lock. GOOD: both do.
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
#ifdef GOOD
	LOCK(m);
#endif
	x++;
#ifdef GOOD
	UNLOCK(m);
#endif
}
