/*
 * A vector is scaled; the lock is given back between reading and writing, so each access is
 * protected but the operation is torn.
 *
 * EXPECT: extended-race x y
 * WHY: released in between
 * GROUP: x y
 */
#include "../pair.h"

static float x = 3, y = 4;

static void scale_vector(void)
{
	float max, p, q;

	LOCK(m);
	p = x;
	q = y;
	UNLOCK(m);
	if (p > q)
		max = p;
	else
		max = q;
	LOCK(m);
	x = x / max;
	y = y / max;
	UNLOCK(m);
}

static void a(void)
{
	scale_vector();
}

static void b(void)
{
	scale_vector();
}
