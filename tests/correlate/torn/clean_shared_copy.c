/*
 * What goes through memory that others use, too, ends the operation there, by the region
 * hypothesis: the second critical section reads what is there then. That is known only later.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int x = 1, y = 2;

static void a(void)
{
	LOCK(m);
	y = x;
	UNLOCK(m);
	LOCK(m);
	x = y + 1;
	UNLOCK(m);
}

static void b(void)
{
	LOCK(m);
	x = x + 5;
	UNLOCK(m);
	LOCK(m);
	y = y + 5;
	UNLOCK(m);
}
