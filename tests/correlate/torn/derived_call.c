/*
 * The same, where the value goes through functions and the other thread only looks at y. GOOD:
 * in one critical section.
 *
 * EXPECT: extended-race x y
 * ALSO: seen
 */
#include "../pair.h"

static volatile int x = 1, y = 2, seen;

__attribute__((noinline)) static int get(void)
{
	return x;
}

__attribute__((noinline)) static void put(int v)
{
	y = v + v;
}

static void a(void)
{
	int t;

	LOCK(m);
	t = get();
#ifndef GOOD
	UNLOCK(m);
	LOCK(m);
#endif
	put(t);
	UNLOCK(m);
}

static void b(void)
{
	LOCK(m);
	seen = y;
	x = seen + 3;
	UNLOCK(m);
}
