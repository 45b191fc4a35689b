/*
 * Read, given back, read again in the next critical section: only the second is used.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int x = 1, log_a, log_b;

static void update(volatile int *log)
{
	LOCK(m);
	*log = x;
	UNLOCK(m);
	LOCK(m);
	x = x + 1;
	UNLOCK(m);
}

static void a(void)
{
	update(&log_a);
}

static void b(void)
{
	update(&log_b);
}
