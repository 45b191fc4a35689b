/*
 * Whether the data is valid, and the data, are read in two critical sections. GOOD: in one.
 *
 * EXPECT: extended-race valid data
 * ALSO: out
 */
#include "../pair.h"

static volatile int valid = 1, data = 42, out;

static void a(void)
{
	int ok;

	LOCK(m);
	ok = valid;
	UNLOCK(m);
	if (ok) {
		LOCK(m);
#ifdef GOOD
		if (valid)
#endif
			out = data;
		UNLOCK(m);
	}
}

static void b(void)
{
	LOCK(m);
	valid = 0;
	data = -1;
	UNLOCK(m);
}
