/*
 * Two parallel reads.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int x, sink_a, sink_b;

static void a(void)
{
	sink_a = x;
}

static void b(void)
{
	sink_b = x;
}
