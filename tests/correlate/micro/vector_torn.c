/*
 * Two doubles are halved with vector instructions, torn apart. GOOD: not.
 *
 * EXPECT: extended-race pair
 */
#include "../pair.h"

static volatile double pair[2] = { 4, 8 };

static void halve(void)
{
	double p, q;

	LOCK(m);
	p = pair[0];
	q = pair[1];
#ifndef GOOD
	UNLOCK(m);
	LOCK(m);
#endif
	pair[0] = (p + q) / 2;
	pair[1] = (q + p) / 4;
	UNLOCK(m);
}

static void a(void)
{
	halve();
}

static void b(void)
{
	halve();
}
