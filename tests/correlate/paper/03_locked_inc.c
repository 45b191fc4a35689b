/*
 * Two parallel increments under one lock.
 *
 * EXPECT: none
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
	LOCK(m);
	x++;
	UNLOCK(m);
}
