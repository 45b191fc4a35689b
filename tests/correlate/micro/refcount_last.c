/*
 * Who drops the last reference, counted under a lock, clears the object without it. GOOD: nobody
 * touches the object after having dropped a reference; otherwise both note that they did.
 *
 * EXPECT: race dropped
 */
#include "../pair.h"

static volatile long used, dropped;
static int references = 2;

static void drop(void)
{
	int left;

	LOCK(m);
	left = --references;
	UNLOCK(m);
#ifndef GOOD
	dropped++;
#endif
	if (left == 0)
		used = dropped = -1;
}

static void use(void)
{
	LOCK(n);
	used++;
	UNLOCK(n);
	drop();
}

static void a(void)
{
	use();
}

static void b(void)
{
	use();
}
