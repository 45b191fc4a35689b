/*
 * Operations of an execution, and which of them depend on each other: the one place that says so. All of explore rests
 * on it: an execution is left out only if one that was made has the same operations of every thread, and those
 * that depend on each other in the same order.
 *
 * By order (hd_xop_conflict). Two operations of different threads may be called independent if, in every state in which
 * both are possible, neither makes the other impossible, neither makes a third one possible that the other does not, and both
 * orders lead to the same state and give both threads the same results. Then executions that differ by exchanging such
 * neighbours end alike, with the same faults, and one of them will do (Mazurkiewicz). Why that holds, kind by kind:
 * - Operations on different objects, or different bytes of one, have nothing in common. Whoever tells of an operation
 *   names as its object everything that its result or effect depends on; what no object stands for is withheld
 *   from the proof (enum hd_xuse).
 * - Two reads, two shared locks, and two tries in vain change nothing that the other could see.
 * - Arrivals at a round of a barrier add up. Which was the last matters to who might have come instead, so
 *   that one depends on all; and where the program looks who was last, each arrival is also a write.
 * - Two additions to the same bytes whose results nobody uses (the runtime looks at the code behind the call) come to the
 *   same sum. Only what each acquires is in another order: so they acquire nothing there, which finds every race that
 *   there is, and perhaps others; at the first one the exploration begins anew without this (exploration.c).
 * - Fork and join order what a thread does after and before by themselves. HD_X_STEP does nothing.
 * - The end of the process depends on everything, as it takes away what had not happened.
 * All else depends. To say so where it is not needed costs executions; the other mistake is a false proof.
 *
 * An unlock and the lock after it depend, but are never possible both: so they are ordered and there is nothing to
 * reverse (events.c). The same goes for the first one that is given to a semaphore, and who takes it; in all other places who takes
 * one could have done so earlier, as there was one before whatever came just before it: all that is done to a semaphore depends
 * on each other. Any other operation that its thread had to wait for (resumed, or pending at the end) is not possible in some
 * places. So it is not enough to reverse it with the last one that it depends on: that may be who made it possible.
 *
 * By graph (hd_xop_offers). For operations of the memory model, the model keeps every write that may still be
 * read, and a decision of its own says which one is. So a read that comes later may do all that it could have done earlier,
 * and a write takes nothing from anybody: the state is who read from whom, not in which order things happened.
 * The only thing an execution cannot have is a read from a write that came later: that, and nothing else, is reversed.
 * What else happened may come to something else then, so only what the write rests on is kept (is_apart in reversal.c).
 * A step that reads nothing may then come first in whatever follows (hd_xop_only_offers): one choice does for all. Neither holds of
 * read-modify-writes, which take the place behind the write that they read from; explorer.c leaves
 * graphs alone where there are some.
 */
#ifndef HD_TRACE_DEPENDENCE_H
#define HD_TRACE_DEPENDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_xop_kind {
	HD_X_READ = 1, /* of object: two of these commute */
	HD_X_WRITE,    /* everything else that can be done to an object at any time */
	/*
	 * Blocking locks: while one is held, others do not try. So a release and the acquire
	 * after it cannot change places; two acquires can.
	 */
	HD_X_LOCK,
	HD_X_UNLOCK,
	HD_X_LOCK_SHARED,
	HD_X_UNLOCK_SHARED,
	HD_X_TRY, /* to take a lock, in vain; a try that succeeds is HD_X_WRITE and HD_X_LOCK */
	/*
	 * A semaphore: to take one, which is not possible while there is none, and to give one where there was none.
	 * So a give and the take after it cannot change places, either. Giving more is HD_X_WRITE.
	 */
	HD_X_TAKE,
	HD_X_GIVE,
	/*
	 * At a barrier, bytes: number of the round, by hd_x_round(). Those of a round commute; that somebody was
	 * the last makes a difference to all who might still have come.
	 */
	HD_X_ARRIVE,
	HD_X_ARRIVE_LAST,
	HD_X_ADD,   /* adds to it, and does not look: those of the same bytes commute */
	HD_X_FORK,  /* object: a thread number, which begins */
	HD_X_JOIN,  /* object: a thread number, which has ended */
	HD_X_LEAVE, /* a barrier, after all have arrived; bytes as above */
	HD_X_END,   /* of the process: whatever others do, it matters whether it comes before */
	HD_X_STEP,  /* nothing that concerns others: its thread was chosen, and that was all */
};

/*
 * What the memory model makes of an operation (weak_model.h): whether it comes before or after another one does not matter
 * by itself, only who reads from whom.
 */
enum hd_xweak {
	HD_X_WEAK = 1,
	HD_X_WEAK_READS = 2,
	HD_X_WEAK_WRITES = 4,
	HD_X_WEAK_TRIES = 8, /* to read and write as one, though it may have failed */
};

struct hd_xop {
	uint64_t object;
	uint32_t thread;
	/* Weak: the operation that it reads from, + 1. A fork: the first of the threads that are like the new one. 0: none of these. */
	uint32_t source;
	uint8_t kind; /* enum hd_xop_kind */
	uint8_t bytes; /* of an object that is eight bytes of memory: which of them; most others 0xff */
	bool begins;  /* others might have run before it, had there been any: a step begins */
	bool resumed; /* its thread was waiting for it to become possible */
	uint8_t weak; /* enum hd_xweak; 0: order matters */
	uint8_t unused[3];
};

static inline bool hd_xop_is_shared(const struct hd_xop *op)
{
	return op->kind == HD_X_READ || op->kind == HD_X_LOCK_SHARED ||
	       op->kind == HD_X_UNLOCK_SHARED;
}

/* Never 0. */
static inline uint8_t hd_x_round(uint32_t round)
{
	return (uint8_t)(round % 255 + 1);
}

static inline bool hd_xop_arrives(const struct hd_xop *op)
{
	return op->kind == HD_X_ARRIVE || op->kind == HD_X_ARRIVE_LAST;
}

/* Do two that have happened arrive in the same round? */
static inline bool hd_xop_same_round(const struct hd_xop *a, const struct hd_xop *b)
{
	return hd_xop_arrives(a) && hd_xop_arrives(b) && a->bytes == b->bytes;
}

/* Two additions of the same size that nobody looks at: the order makes no difference. */
static inline bool hd_xop_add_up(const struct hd_xop *a, const struct hd_xop *b)
{
	return a->kind == HD_X_ADD && b->kind == HD_X_ADD && a->bytes == b->bytes;
}

/* ---- by order --------------------------------------------------------------- */

/* Does the order of two operations of different threads matter? */
static inline bool hd_xop_conflict(const struct hd_xop *a, const struct hd_xop *b)
{
	if (a->kind == HD_X_END || b->kind == HD_X_END)
		return a->kind != HD_X_STEP && b->kind != HD_X_STEP;
	if (hd_xop_arrives(a) && hd_xop_arrives(b))
		return a->object == b->object &&
		       (a->bytes != b->bytes || a->kind != HD_X_ARRIVE || b->kind != HD_X_ARRIVE);
	if (hd_xop_add_up(a, b))
		return false;
	return a->object == b->object && (a->bytes & b->bytes) && a->kind < HD_X_FORK &&
	       b->kind < HD_X_FORK && !(a->kind == HD_X_TRY && b->kind == HD_X_TRY) &&
	       !(hd_xop_is_shared(a) && hd_xop_is_shared(b));
}

/* Was a thread only chosen? */
static inline bool hd_xops_are_step(const struct hd_xop *ops, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ops[i].kind != HD_X_STEP)
			return false;
	}
	return true;
}

static inline bool hd_xops_conflict(const struct hd_xop *a, size_t na, const struct hd_xop *b,
				    size_t nb)
{
	for (size_t i = 0; i < na; i++) {
		for (size_t k = 0; k < nb; k++) {
			if (hd_xop_conflict(&a[i], &b[k]))
				return true;
		}
	}
	return false;
}

/* ---- by graph --------------------------------------------------------------- */

/* Does @op write what @reader, of another thread, could have read had it come later? */
static inline bool hd_xop_offers(const struct hd_xop *op, const struct hd_xop *reader)
{
	return op->object == reader->object && (op->bytes & reader->bytes) &&
	       (op->weak & HD_X_WEAK_WRITES) && (reader->weak & HD_X_WEAK_READS);
}

/* Both read and write as one, or try to: might @op have read what @old has read? */
static inline bool hd_xop_vies(const struct hd_xop *op, const struct hd_xop *old)
{
	const uint8_t both = HD_X_WEAK_READS | HD_X_WEAK_WRITES;

	return op->object == old->object && (op->bytes & old->bytes) &&
	       (old->weak & both) == both && (op->weak & HD_X_WEAK_TRIES);
}

/* Does it read nothing, and write at most what the memory model has? */
static inline bool hd_xop_only_offers(const struct hd_xop *op)
{
	return op->kind == HD_X_STEP || (op->weak && !(op->weak & HD_X_WEAK_READS));
}

/* ---- sleepers ---------------------------------------------------------------- */

/* Has what a sleeper would do (@own) become another thing by @op? */
static inline bool hd_xop_wakes(const struct hd_xop *op, const struct hd_xop *own)
{
	if (!op->weak || !own->weak)
		return hd_xop_conflict(op, own);
	return hd_xop_offers(op, own);
}

enum hd_xwake { HD_X_SLEEPS_ON, HD_X_WAKES_PARTLY, HD_X_WAKES };

/*
 * What @op does to a sleeper that would do @own. Partly: it has one thing more to read, and all else that it could
 * read was tried.
 */
static inline enum hd_xwake hd_xop_wake(const struct hd_xop *op, const struct hd_xop *own, size_t n)
{
	unsigned reads = 0;
	bool met = false, other = false;

	for (size_t i = 0; i < n; i++) {
		bool wakes = hd_xop_wakes(op, &own[i]);

		met |= wakes;
		other |= wakes && !(op->weak && own[i].weak);
		reads += (own[i].weak & HD_X_WEAK_READS) != 0;
	}
	return !met ? HD_X_SLEEPS_ON : other || reads > 1 ? HD_X_WAKES : HD_X_WAKES_PARTLY;
}

#endif
