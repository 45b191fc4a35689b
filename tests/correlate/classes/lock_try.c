/*
 * Something is done before it is known whether the lock is to be had. GOOD: nothing.
 *
 * EXPECT: race x
 */
#include "../pair.h"

static volatile int x;

static void a(void)
{
	LOCK(m);
	x++;
	UNLOCK(m);
}

static void b(void)
{
#ifndef GOOD
	x++;
#endif
	if (pthread_mutex_trylock(&m) == 0) {
		x++;
		UNLOCK(m);
	}
}
