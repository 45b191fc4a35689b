/*
 * A counter is read into memory of the thread's own and written back from there in the next
 * critical section. GOOD: in one.
 *
 * EXPECT: extended-race balance
 */
#include "../pair.h"

#include <stdlib.h>

static volatile int balance = 100;
static volatile int *own;

__attribute__((constructor)) static void make(void)
{
	own = malloc(4 * sizeof(*own));
}

static void a(void)
{
	LOCK(m);
	own[2] = balance;
#ifndef GOOD
	UNLOCK(m);
	LOCK(m);
#endif
	balance = own[2] + 10;
	UNLOCK(m);
}

static void b(void)
{
	LOCK(m);
	balance = balance + 20;
	UNLOCK(m);
}
