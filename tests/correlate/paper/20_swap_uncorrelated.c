/*
 * Two variables that have nothing to do with each other, each with a lock of its own, are
 * swapped under both. The paper reports it.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int p = 1, q = 2;

static void count(void)
{
	LOCK(m);
	p++;
	UNLOCK(m);
	LOCK(n);
	q++;
	UNLOCK(n);
}

static void swap(void)
{
	int t;

	LOCK(m);
	LOCK(n);
	t = p;
	p = q;
	q = t;
	UNLOCK(n);
	UNLOCK(m);
}

static void a(void)
{
	count();
	swap();
	count();
}

static void b(void)
{
	count();
	swap();
	count();
}
