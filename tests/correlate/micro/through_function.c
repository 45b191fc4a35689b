/*
 * The stale value goes through calls and memory of the thread's own. GOOD: the lock is kept.
 *
 * EXPECT: extended-race total
 * WHY: released in between
 */
#include "../pair.h"

static volatile int total = 1;

__attribute__((noinline)) static int snapshot(void)
{
	int value;

#ifndef GOOD
	LOCK(m);
#endif
	value = total;
#ifndef GOOD
	UNLOCK(m);
#endif
	return value;
}

__attribute__((noinline)) static void publish(const int *value)
{
#ifndef GOOD
	LOCK(m);
#endif
	total = *value * 2 + 1;
#ifndef GOOD
	UNLOCK(m);
#endif
}

static void step(void)
{
	int work[4];

#ifdef GOOD
	LOCK(m);
#endif
	work[2] = snapshot() + 3;
	publish(&work[2]);
#ifdef GOOD
	UNLOCK(m);
#endif
}

static void a(void)
{
	step();
}

static void b(void)
{
	step();
}
