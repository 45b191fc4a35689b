/*
 * One is left; both look, and take it in the next critical section. In this run the second
 * finds none. GOOD: in one.
 *
 * EXPECT: extended-race stock
 * WHY: Another thread runs the same code
 * MISSED: gcc-O2
 */
#include "../pair.h"

static volatile int stock = 1;

static void take(void)
{
	int some;

	LOCK(m);
	some = stock > 0;
	UNLOCK(m);
	if (some) {
		LOCK(m);
#ifdef GOOD
		if (stock > 0)
#endif
			stock = stock - 1;
		UNLOCK(m);
	}
}

static void a(void)
{
	take();
}

static void b(void)
{
	take();
}
