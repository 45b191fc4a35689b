/*
 * The last one to leave looks at what all have written. GOOD: it asks who that is.
 *
 * EXPECT: race x
 */
#include <stdatomic.h>

#include "../pair.h"

static volatile int x[2];
static atomic_int left = 2;

static void leave(int me)
{
	x[me] = me + 1;
#ifdef GOOD
	if (atomic_fetch_sub(&left, 1) == 1 && x[0] + x[1] != 3)
#else
	if (x[0] + x[1] > 9)
#endif
		puts("wrong");
}

static void a(void)
{
	leave(0);
}

static void b(void)
{
	leave(1);
}
