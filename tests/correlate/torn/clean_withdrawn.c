/*
 * A flag is lowered in one critical section, and what it speaks for is cleared in the next: whoever comes
 * between does not look at it.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int valid = 1, data = 5;

static void b(void)
{
	LOCK(m);
	valid = 0;
	UNLOCK(m);
	LOCK(m);
	data = -1;
	UNLOCK(m);
}

static void a(void)
{
	int v = 0;

	LOCK(m);
	if (valid)
		v = data;
	UNLOCK(m);
	if (v > 100)
		puts("large");
}
