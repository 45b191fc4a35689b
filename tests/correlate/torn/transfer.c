/*
 * An amount is taken from one account, and put into the other in the next critical section;
 * the other thread adds them up. GOOD: in one.
 *
 * EXPECT: extended-race from to
 */
#include "../pair.h"

static volatile int from = 100, to, amounts[] = { 5, 7, 9 };

static void a(void)
{
	for (int i = 0; i < 3; i++) {
		int amount = amounts[i];

		LOCK(m);
		from = from - amount;
#ifndef GOOD
		UNLOCK(m);
		LOCK(m);
#endif
		to = to + amount;
		UNLOCK(m);
	}
}

static void b(void)
{
	int sum;

	LOCK(m);
	sum = from + to;
	UNLOCK(m);
	if (sum != 100)
		puts("torn");
}
