/*
 * A lock made of compare-and-swap, on one side. GOOD: on both.
 *
 * EXPECT: race x
 */
#include <stdatomic.h>

#include <sched.h>

#include "../pair.h"

static volatile int x;
static atomic_int taken;

static void take(void)
{
	int none = 0;

	while (!atomic_compare_exchange_strong(&taken, &none, 1)) {
		none = 0;
		sched_yield();
	}
}

static void a(void)
{
	take();
	x++;
	atomic_exchange(&taken, 0);
}

static void b(void)
{
#ifdef GOOD
	take();
#endif
	x++;
#ifdef GOOD
	atomic_exchange(&taken, 0);
#endif
}
