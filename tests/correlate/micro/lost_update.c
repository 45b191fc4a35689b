/*
 * A counter is read under the lock and written back under it, but not in one critical
 * section. GOOD: in one.
 *
 * EXPECT: extended-race balance
 * WHY: released in between
 */
#include "../pair.h"

static volatile int balance = 100;

static void deposit(int amount)
{
	int old;

	LOCK(m);
	old = balance;
#ifndef GOOD
	UNLOCK(m);
	LOCK(m);
#endif
	balance = old + amount;
	UNLOCK(m);
}

static void a(void)
{
	deposit(10);
}

static void b(void)
{
	deposit(20);
}
