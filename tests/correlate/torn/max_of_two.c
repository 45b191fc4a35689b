/*
 * A maximum is kept beside the value: what is compared was read before the lock was given
 * back. GOOD: in one.
 *
 * EXPECT: extended-race value most
 */
#include "../pair.h"

static volatile int value = 3, most = 3;

static void a(void)
{
	int v;

	LOCK(m);
	v = value;
#ifndef GOOD
	UNLOCK(m);
	LOCK(m);
#endif
	if (v > most)
		most = v;
	else
		most = most + 0;
	UNLOCK(m);
}

static void b(void)
{
	LOCK(m);
	value = 1;
	most = 1;
	UNLOCK(m);
}
