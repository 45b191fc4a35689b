/*
 * Two variables that belong together are swapped under their lock.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int p = 1, q = 2;

/* They do: each is computed from the other. */
static void relate(void)
{
	LOCK(m);
	q = p + 1;
	p = q - 1;
	UNLOCK(m);
}

static void swap(void)
{
	int t;

	LOCK(m);
	t = p;
	p = q;
	q = t;
	UNLOCK(m);
}

static void a(void)
{
	relate();
	swap();
	relate();
}

static void b(void)
{
	relate();
	swap();
	relate();
}
