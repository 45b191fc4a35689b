/*
 * Increments under m and n, and under m alone.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int x;

static void a(void)
{
	LOCK(m);
	LOCK(n);
	x++;
	UNLOCK(n);
	UNLOCK(m);
}

static void b(void)
{
	LOCK(m);
	x++;
	UNLOCK(m);
}
