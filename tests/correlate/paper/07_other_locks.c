/*
 * Increments under different locks.
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
	LOCK(n);
	x++;
	UNLOCK(n);
}
