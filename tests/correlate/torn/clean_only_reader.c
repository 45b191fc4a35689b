/*
 * A derived value is written later; the other thread only looks at both, and nobody changes
 * what it is derived from.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int x = 1, y = 2;

static void a(void)
{
	int t;

	LOCK(m);
	t = x;
	UNLOCK(m);
	LOCK(m);
	y = 2 * t;
	UNLOCK(m);
}

static void b(void)
{
	int s;

	LOCK(m);
	s = x + y;
	UNLOCK(m);
	if (s > 100)
		puts("large");
}
