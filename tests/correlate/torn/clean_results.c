/*
 * Results are put into an array, each in a critical section of its own; the other thread adds up what
 * is there.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int results[4];

static void a(void)
{
	for (int i = 0; i < 4; i++) {
		LOCK(m);
		results[i] = i * i + 1;
		UNLOCK(m);
	}
}

static void b(void)
{
	int sum;

	LOCK(m);
	sum = results[0] + results[1] + results[2] + results[3];
	UNLOCK(m);
	if (sum > 100)
		puts("large");
}
