/*
 * A vector is normalised under one lock; the square root goes through the library.
 *
 * EXPECT: none
 * GROUP: x y
 */
#include "../pair.h"

#include <math.h>

static volatile float x = 3, y = 4;

static void normalize(void)
{
	float len;

	LOCK(m);
	len = sqrtf(x * x + y * y);
	x = x / len;
	y = y / len;
	UNLOCK(m);
}

static void a(void)
{
	normalize();
}

static void b(void)
{
	normalize();
}
