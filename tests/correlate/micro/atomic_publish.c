/*
 * A value is published by an atomic exchange; GOOD: written before it. Otherwise after it.
 *
 * EXPECT: race box
 */
#include <sched.h>
#include "../pair.h"

#include <stdatomic.h>

static volatile int box;
static atomic_int ready;
int got;

static void a(void)
{
#ifdef GOOD
	box = 1;
	atomic_exchange(&ready, 1);
#else
	atomic_exchange(&ready, 1);
	box = 1;
#endif
}

static void b(void)
{
	while (!atomic_fetch_or(&ready, 0))
		sched_yield();
	got = box;
}
