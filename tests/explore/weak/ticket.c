/*
 * A ticket lock. Weakened, giving it back is relaxed: the next one need not see what was done.
 */
#define COUNT_ORDER memory_order_relaxed
#include "weak_locks.h"

#ifdef WEAKENED
#define GIVE memory_order_relaxed
#else
#define GIVE memory_order_release
#endif

static atomic_uint next, serving;

static void enter(int me)
{
	unsigned mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);

	while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
		;
}

static void leave(int me)
{
	unsigned mine = atomic_load_explicit(&serving, memory_order_relaxed);

	atomic_store_explicit(&serving, mine + 1, GIVE);
}
