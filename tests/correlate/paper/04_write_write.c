/*
 * Two parallel writes that do not depend on what was there before. The paper misses it.
 *
 * EXPECT: race x
 */
#include "../pair.h"

static volatile int x;

static void a(void)
{
	x = 1;
}

static void b(void)
{
	x = 2;
}
