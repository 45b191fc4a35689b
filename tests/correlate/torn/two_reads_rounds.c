/*
 * Two parts are read in two critical sections, again and again. GOOD: in one.
 *
 * EXPECT: extended-race low high
 */
#include "../pair.h"

static volatile int low, high, wrong;

static void a(void)
{
	for (int i = 0; i < 20; i++) {
		int l, h;

		LOCK(m);
		l = low;
#ifndef GOOD
		UNLOCK(m);
		LOCK(m);
#endif
		h = high;
		UNLOCK(m);
		if (l > h)
			puts("torn");
	}
}

static void b(void)
{
	for (int i = 0; i < 20; i++) {
		LOCK(m);
		low = i;
		high = i + 5;
		UNLOCK(m);
	}
}
