/*
 * Minimum and maximum without a lock: one race on both. GOOD: with a lock.
 *
 * EXPECT: extended-race low high
 * ONE
 */
#include "../pair.h"

static volatile int low = 5, high = 6;

static void widen(int by)
{
	int middle;

#ifdef GOOD
	LOCK(m);
#endif
	middle = (low + high) / 2;
	low = middle - by;
	high = middle + by;
#ifdef GOOD
	UNLOCK(m);
#endif
}

static void a(void)
{
	widen(2);
}

static void b(void)
{
	widen(3);
}
