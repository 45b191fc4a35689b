/*
 * A counter is read into memory of the thread's own and written back from there in the next
 * critical section. GOOD: in one.
 *
 * EXPECT: extended-race balance
 */
#include "../pair.h"

static volatile int balance = 100;
static _Thread_local volatile int mine;

static void a(void)
{
	LOCK(m);
	mine = balance;
#ifndef GOOD
	UNLOCK(m);
	LOCK(m);
#endif
	balance = mine + 10;
	UNLOCK(m);
}

static void b(void)
{
	LOCK(m);
	balance = balance + 20;
	UNLOCK(m);
}
