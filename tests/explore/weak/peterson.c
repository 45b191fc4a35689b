/*
 * Peterson's lock, which needs one order of all its operations. Weakened, it has release and acquire.
 */
#define COUNT_ORDER memory_order_seq_cst
#include "weak_locks.h"

#ifdef WEAKENED
#define PUT memory_order_release
#define GET memory_order_acquire
#else
#define PUT memory_order_seq_cst
#define GET memory_order_seq_cst
#endif

static atomic_int wants[2], turn;

static void enter(int me)
{
	atomic_store_explicit(&wants[me], 1, PUT);
	atomic_store_explicit(&turn, !me, PUT);
	while (atomic_load_explicit(&wants[!me], GET) && atomic_load_explicit(&turn, GET) == !me)
		;
}

static void leave(int me)
{
	atomic_store_explicit(&wants[me], 0, PUT);
}
