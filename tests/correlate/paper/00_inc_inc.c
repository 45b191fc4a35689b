/*
 * Two parallel increments.
 *
 * EXPECT: race x
 */
#include "../pair.h"

static volatile int x;

static void a(void)
{
	x++;
}

static void b(void)
{
	x++;
}
