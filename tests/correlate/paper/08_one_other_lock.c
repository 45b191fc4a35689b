/*
 * Increments under m and then under n, parallel to one under m.
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
	LOCK(n);
	x++;
	UNLOCK(n);
}

static void b(void)
{
	LOCK(m);
	x++;
	UNLOCK(m);
}
