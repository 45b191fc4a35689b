/*
 * A pointer that is stored atomically; what it leads to is filled in late. GOOD: before.
 *
 * EXPECT: race box
 */
#include <stdatomic.h>

#include <sched.h>

#include "../pair.h"

static volatile int box;
static _Atomic(volatile int *) p;

static void a(void)
{
#ifdef GOOD
	box = 5;
	atomic_store(&p, &box);
#else
	atomic_store(&p, &box);
	box = 5;
#endif
}

static void b(void)
{
	volatile int *q;

	while (!(q = atomic_exchange(&p, NULL)))
		sched_yield();
	if (*q > 9)
		puts("many");
}
