/*
 * Two increments, each in a critical section of its own, parallel to one under the same
 * lock.
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
