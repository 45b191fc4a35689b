/*
 * Dekker's lock, the same way.
 */
#define COUNT_ORDER memory_order_seq_cst
#include "weak_locks.h"

#ifdef WEAKENED
#define PUT memory_order_relaxed
#define GET memory_order_relaxed
#else
#define PUT memory_order_seq_cst
#define GET memory_order_seq_cst
#endif

static atomic_int wants[2], turn;

static void enter(int me)
{
	atomic_store_explicit(&wants[me], 1, PUT);
	while (atomic_load_explicit(&wants[!me], GET)) {
		if (atomic_load_explicit(&turn, GET) == me)
			continue;
		atomic_store_explicit(&wants[me], 0, PUT);
		while (atomic_load_explicit(&turn, GET) != me)
			;
		atomic_store_explicit(&wants[me], 1, PUT);
	}
}

static void leave(int me)
{
	atomic_store_explicit(&turn, !me, PUT);
	atomic_store_explicit(&wants[me], 0, PUT);
}
