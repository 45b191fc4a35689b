/*
 * The inner lock is given back and taken again, but the outer one is held, by both.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int x = 1, y = 2;

static void a(void)
{
	int t;

	LOCK(n);
	LOCK(m);
	t = x;
	UNLOCK(m);
	LOCK(m);
	y = 2 * t;
	UNLOCK(m);
	UNLOCK(n);
}

static void b(void)
{
	LOCK(n);
	LOCK(m);
	x = 5;
	y = 10;
	UNLOCK(m);
	UNLOCK(n);
}
