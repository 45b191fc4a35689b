/*
 * Whether to take one is decided in one critical section, and done in another. GOOD: the
 * condition is looked at again.
 *
 * EXPECT: extended-race stock
 * WHY: released in between
 */
#include "../pair.h"

static volatile int stock = 3;

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
			stock--;
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
