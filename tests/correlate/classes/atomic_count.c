/*
 * A count that one side adds to in two steps. GOOD: atomically.
 *
 * EXPECT: race x
 */
#include <stdatomic.h>

#include "../pair.h"

static
#ifdef GOOD
	atomic_int
#else
	volatile int
#endif
		x;

static void a(void)
{
	x++;
}

static void b(void)
{
	x++;
}
