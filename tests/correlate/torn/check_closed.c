/*
 * Is it open is asked in one critical section; the next writes. The other closes it and takes
 * what is there. GOOD: in one.
 *
 * EXPECT: extended-race open data
 * ALSO: taken
 */
#include "../pair.h"

static volatile int open = 1, data, taken;

static void a(void)
{
	int ok;

	LOCK(m);
	ok = open;
	UNLOCK(m);
	if (ok) {
		LOCK(m);
#ifdef GOOD
		if (open)
#endif
			data = 7;
		UNLOCK(m);
	}
}

static void b(void)
{
	LOCK(m);
	open = 0;
	taken = data;
	UNLOCK(m);
}
