/*
 * A vector is scaled without any locks: one race on both of its variables.
 *
 * EXPECT: extended-race x y
 * WHY: no lock is held
 * GROUP: x y
 */
#include "../pair.h"

static float x = 3, y = 4;

static void scale_vector(void)
{
	float max, p, q;
	p = x;
	q = y;
	if (p > q)
		max = p;
	else
		max = q;
	x = x / max;
	y = y / max;
}

static void a(void)
{
	scale_vector();
}

static void b(void)
{
	scale_vector();
}
