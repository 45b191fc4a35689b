/*
 * Sums are made apart and added under the lock at the end.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile long total;
static int data[100];

static void sum(int from, int to)
{
	long mine = 0;

	for (int i = from; i < to; i++)
		mine += data[i];
	LOCK(m);
	total += mine;
	UNLOCK(m);
}

static void a(void)
{
	sum(0, 50);
}

static void b(void)
{
	sum(50, 100);
}
