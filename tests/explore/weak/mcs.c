/*
 * The queue lock of Mellor-Crummey and Scott. Weakened, handing it over is relaxed.
 */
#define COUNT_ORDER memory_order_relaxed
#include "weak_locks.h"

#ifdef WEAKENED
#define GIVE memory_order_relaxed
#else
#define GIVE memory_order_release
#endif

struct node {
	struct node *_Atomic next;
	atomic_int waits;
};

static struct node nodes[2];
static struct node *_Atomic tail;

static void enter(int me)
{
	struct node *n = &nodes[me], *before;

	atomic_store_explicit(&n->waits, 1, memory_order_relaxed);
	before = atomic_exchange_explicit(&tail, n, memory_order_acq_rel);
	if (!before)
		return;
	atomic_store_explicit(&before->next, n, memory_order_release);
	while (atomic_load_explicit(&n->waits, memory_order_acquire))
		;
}

static void leave(int me)
{
	struct node *n = &nodes[me], *after = atomic_load_explicit(&n->next, memory_order_acquire);

	if (!after) {
		struct node *mine = n;

		if (atomic_compare_exchange_strong_explicit(
			    &tail, &mine, NULL, memory_order_acq_rel, memory_order_relaxed))
			return;
		while (!(after = atomic_load_explicit(&n->next, memory_order_acquire)))
			;
	}
	atomic_store_explicit(&after->waits, 0, GIVE);
}
