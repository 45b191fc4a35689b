/*
 * Szymanski's lock for two, the same way. A flag is 0: away, 1: wants in, 2: waits for others to come in, 3: at the
 * door, 4: in, and the door is closed.
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

static atomic_int flag[2];

static int other(int me)
{
	return atomic_load_explicit(&flag[!me], GET);
}

static void enter(int me)
{
	atomic_store_explicit(&flag[me], 1, PUT);
	while (other(me) > 2)
		;
	atomic_store_explicit(&flag[me], 3, PUT);
	if (other(me) == 1) {
		atomic_store_explicit(&flag[me], 2, PUT);
		while (other(me) != 4)
			;
	}
	atomic_store_explicit(&flag[me], 4, PUT);
	while (me == 1 && other(me) > 1)
		;
}

static void leave(int me)
{
	int o;

	while (me == 0 && ((o = other(me)) == 2 || o == 3))
		;
	atomic_store_explicit(&flag[me], 0, PUT);
}
