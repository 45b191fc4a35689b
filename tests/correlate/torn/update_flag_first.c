/*
 * The flag is raised in one critical section, and the data written in the next. GOOD: in one.
 *
 * EXPECT: extended-race ready data
 */
#include "../pair.h"

static volatile int data, ready;

static void a(void)
{
	LOCK(m);
	ready = 1;
#ifndef GOOD
	UNLOCK(m);
	LOCK(m);
#endif
	data = 42;
	UNLOCK(m);
}

static void b(void)
{
	int v = 0;

	LOCK(m);
	if (ready)
		v = data;
	UNLOCK(m);
	if (v > 100)
		puts("large");
}
