/*
 * Asked without the lock, and with it. GOOD: with it alone.
 *
 * EXPECT: race made
 * ALSO: x
 */
#include "../pair.h"

static volatile int made, x;

static void get(void)
{
#ifndef GOOD
	if (!made)
#endif
	{
		LOCK(m);
		if (!made) {
			x = 5;
			made = 1;
		}
		UNLOCK(m);
	}
}

static void a(void)
{
	get();
}

static void b(void)
{
	get();
}
