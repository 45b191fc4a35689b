/*
 * The lock is taken after the access. GOOD: before it.
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
	x++;
#else
	x++;
	LOCK(m);
#endif
	UNLOCK(m);
}
