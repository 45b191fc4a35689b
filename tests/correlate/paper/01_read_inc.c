/*
 * A read parallel to an increment.
 *
 * EXPECT: race x
 */
#include "../pair.h"

static volatile int x, sink_a;

static void a(void)
{
	sink_a = x;
}

static void b(void)
{
	x++;
}
