/*
 * Each has a lock of its own. GOOD: the same.
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
#else
	LOCK(n);
#endif
	x++;
#ifdef GOOD
	UNLOCK(m);
#else
	UNLOCK(n);
#endif
}
