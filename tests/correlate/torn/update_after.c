/*
 * Both parts are reset, in two critical sections by two functions; the other compared them before. GOOD: in
 * one.
 *
 * EXPECT: extended-race x y
 */
#include "../pair.h"

static volatile int x = 1, y = 1;

__attribute__((noinline)) static void set(volatile int *of, int v)
{
#ifndef GOOD
	LOCK(m);
#endif
	*of = v;
#ifndef GOOD
	UNLOCK(m);
#endif
}

static void b(void)
{
#ifdef GOOD
	LOCK(m);
#endif
	set(&x, 0);
	set(&y, 0);
#ifdef GOOD
	UNLOCK(m);
#endif
}

static void a(void)
{
	LOCK(m);
	if (x != y)
		puts("torn");
	UNLOCK(m);
}
