/*
 * One has two locks, the other one of them. GOOD: the one that is common; else another.
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
	LOCK(n);
	LOCK(m);
	x++;
	UNLOCK(m);
	UNLOCK(n);
#else
	LOCK(n);
	x++;
	UNLOCK(n);
#endif
}
