/*
 * Locks on which threads wait in loops.
 */
#include "handmade.h"

#include <stddef.h>

/* ---- test and set ------------------------------------------------------------ */

static atomic_flag flags[2] = { ATOMIC_FLAG_INIT, ATOMIC_FLAG_INIT };

static void tas_lock(int which, int thread)
{
	(void)thread;
	while (atomic_flag_test_and_set_explicit(&flags[which], memory_order_acquire))
		WAIT();
}

static void tas_unlock(int which, int thread)
{
	(void)thread;
	atomic_flag_clear_explicit(&flags[which], memory_order_release);
}

/* ---- compare and swap -------------------------------------------------------- */

static atomic_int owners[2]; /* thread + 1; 0: free */

static void cas_lock(int which, int thread)
{
	int none = 0;

	while (!atomic_compare_exchange_weak_explicit(&owners[which], &none, thread + 1,
						      memory_order_acquire, memory_order_relaxed)) {
		none = 0;
		WAIT();
	}
}

static void cas_unlock(int which, int thread)
{
	(void)thread;
	atomic_store_explicit(&owners[which], 0, memory_order_release);
}

/* ---- test, then test and set, with a pause that doubles ---------------------- */

static atomic_int taken[2];

static void back_off(unsigned *pause)
{
#if WAIT_BY == BY_SLEEP
	usleep(*pause);
#else
	for (unsigned i = 0; i < *pause; i++)
		WAIT();
#endif
	if (*pause < 8)
		*pause *= 2;
}

static void ttas_lock(int which, int thread)
{
	unsigned pause = 1;

	(void)thread;
	for (;;) {
		while (atomic_load_explicit(&taken[which], memory_order_relaxed))
			WAIT();
		if (!atomic_exchange_explicit(&taken[which], 1, memory_order_acquire))
			return;
		back_off(&pause);
	}
}

static void ttas_unlock(int which, int thread)
{
	(void)thread;
	atomic_store_explicit(&taken[which], 0, memory_order_release);
}

/* Test and set with a pause that doubles, without a look before. */
static void backoff_lock(int which, int thread)
{
	unsigned pause = 1;

	(void)thread;
	while (atomic_exchange_explicit(&taken[which], 1, memory_order_acquire))
		back_off(&pause);
}

/* ---- tickets ----------------------------------------------------------------- */

static struct {
	atomic_uint next, serving;
} tickets[2];

static void ticket_lock(int which, int thread)
{
	unsigned mine = atomic_fetch_add_explicit(&tickets[which].next, 1, memory_order_relaxed);

	(void)thread;
	while (atomic_load_explicit(&tickets[which].serving, memory_order_acquire) != mine)
		WAIT();
}

static void ticket_unlock(int which, int thread)
{
	(void)thread;
	atomic_fetch_add_explicit(&tickets[which].serving, 1, memory_order_release);
}

/* ---- queues: Mellor-Crummey and Scott; Craig, Landin and Hagersten ---------------------------- */

struct mcs_node {
	_Atomic(struct mcs_node *) next;
	atomic_bool waits;
};

static struct mcs_node mcs_nodes[2][MOST];
static _Atomic(struct mcs_node *) mcs_tails[2];

static void mcs_lock(int which, int thread)
{
	struct mcs_node *me = &mcs_nodes[which][thread], *before;

	atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
	atomic_store_explicit(&me->waits, true, memory_order_relaxed);
	before = atomic_exchange_explicit(&mcs_tails[which], me, memory_order_acq_rel);
	if (!before)
		return;
	atomic_store_explicit(&before->next, me, memory_order_release);
	while (atomic_load_explicit(&me->waits, memory_order_acquire))
		WAIT();
}

static void mcs_unlock(int which, int thread)
{
	struct mcs_node *me = &mcs_nodes[which][thread], *next, *last = me;

	next = atomic_load_explicit(&me->next, memory_order_acquire);
	if (!next) {
		if (atomic_compare_exchange_strong_explicit(&mcs_tails[which], &last, NULL,
							    memory_order_acq_rel,
							    memory_order_relaxed))
			return;
		while (!(next = atomic_load_explicit(&me->next, memory_order_acquire)))
			WAIT();
	}
	atomic_store_explicit(&next->waits, false, memory_order_release);
}

static struct clh_node {
	atomic_bool waits;
} clh_nodes[2][MOST + 1];

static _Atomic(struct clh_node *) clh_tails[2];
static struct clh_node *clh_mine[2][MOST], *clh_before[2][MOST];

static void clh_lock(int which, int thread)
{
	struct clh_node *me = clh_mine[which][thread];

	atomic_store_explicit(&me->waits, true, memory_order_relaxed);
	clh_before[which][thread] =
		atomic_exchange_explicit(&clh_tails[which], me, memory_order_acq_rel);
	while (atomic_load_explicit(&clh_before[which][thread]->waits, memory_order_acquire))
		WAIT();
}

static void clh_unlock(int which, int thread)
{
	struct clh_node *me = clh_mine[which][thread];

	clh_mine[which][thread] = clh_before[which][thread];
	atomic_store_explicit(&me->waits, false, memory_order_release);
}

void start_locks(void)
{
	for (int which = 0; which < 2; which++) {
		atomic_init(&clh_tails[which], &clh_nodes[which][MOST]);
		for (int t = 0; t < MOST; t++)
			clh_mine[which][t] = &clh_nodes[which][t];
	}
}

/* ---- loads and stores alone: Peterson, Dekker, Lamport ----------------------- */

static struct {
	atomic_bool wants[2];
	atomic_int turn;
} petersons[2], dekkers[2];

static void peterson_lock(int which, int thread)
{
	atomic_store(&petersons[which].wants[thread], true);
	atomic_store(&petersons[which].turn, !thread);
	while (atomic_load(&petersons[which].wants[!thread]) &&
	       atomic_load(&petersons[which].turn) != thread)
		WAIT();
}

static void peterson_unlock(int which, int thread)
{
	atomic_store(&petersons[which].wants[thread], false);
}

static void dekker_lock(int which, int thread)
{
	atomic_store(&dekkers[which].wants[thread], true);
	while (atomic_load(&dekkers[which].wants[!thread])) {
		if (atomic_load(&dekkers[which].turn) == thread) {
			WAIT();
			continue;
		}
		atomic_store(&dekkers[which].wants[thread], false);
		while (atomic_load(&dekkers[which].turn) != thread)
			WAIT();
		atomic_store(&dekkers[which].wants[thread], true);
	}
}

static void dekker_unlock(int which, int thread)
{
	atomic_store(&dekkers[which].turn, !thread);
	atomic_store(&dekkers[which].wants[thread], false);
}

static struct {
	atomic_bool choosing[MOST];
	atomic_int number[MOST];
} bakeries[2];

static void bakery_lock(int which, int thread)
{
	int most = 0;

	atomic_store(&bakeries[which].choosing[thread], true);
	for (int i = 0; i < MOST; i++) {
		int number = atomic_load(&bakeries[which].number[i]);

		most = number > most ? number : most;
	}
	atomic_store(&bakeries[which].number[thread], most + 1);
	atomic_store(&bakeries[which].choosing[thread], false);
	for (int i = 0; i < MOST; i++) {
		int number;

		while (atomic_load(&bakeries[which].choosing[i]))
			WAIT();
		while ((number = atomic_load(&bakeries[which].number[i])) &&
		       (number < most + 1 || (number == most + 1 && i < thread)))
			WAIT();
	}
}

static void bakery_unlock(int which, int thread)
{
	atomic_store(&bakeries[which].number[thread], 0);
}

/* ---- wrong ones -------------------------------------------------------------- */

/* Looks and takes in two steps. */
static void look_lock(int which, int thread)
{
	while (atomic_load(&owners[which]))
		WAIT();
	atomic_store(&owners[which], thread + 1);
}

/* Tries, and goes on whether it has it or not. */
static void once_lock(int which, int thread)
{
	int none = 0;

	atomic_compare_exchange_strong(&owners[which], &none, thread + 1);
}

const struct lock_kind spin_locks[] = {
	{ "test-and-set", tas_lock, tas_unlock, 0 },
	{ "compare-and-swap", cas_lock, cas_unlock, 0 },
	{ "test-and-test-and-set", ttas_lock, ttas_unlock, 0 },
	{ "back-off", backoff_lock, ttas_unlock, 0 },
	{ "ticket", ticket_lock, ticket_unlock, 0 },
	{ "mcs", mcs_lock, mcs_unlock, 0 },
	{ "clh", clh_lock, clh_unlock, 0 },
	{ "peterson", peterson_lock, peterson_unlock, 2 },
	{ "dekker", dekker_lock, dekker_unlock, 2 },
	{ "bakery", bakery_lock, bakery_unlock, 0 },
	{ 0 },
};

const struct lock_kind wrong_locks[] = {
	{ "look-then-take", look_lock, cas_unlock, 0 },
	{ "take-once", once_lock, cas_unlock, 0 },
	{ 0 },
};
