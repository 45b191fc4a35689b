/*
 * Happens-before: from events to vector clocks, for every kind of synchronisation
 * that events.def lists. Knows nothing of pthreads.
 *
 * Two relations are kept at once: *full*, in which giving a lock back happens
 * before its next taking, and *weak*, which has every edge but those of locks.
 * Threads' own times count for both, so an access is named by one epoch (slot,
 * time) and ordered by either.
 *
 * Clocks are indexed by slot, not by thread: a thread that was joined leaves its
 * slot to a later one that its end happened before, and whose times go on from
 * there. So clocks are as long as the threads alive, not as those that ever lived.
 */
#ifndef HD_ANALYSIS_HB_H
#define HD_ANALYSIS_HB_H

#include "trace/event.h"
#include "vclock.h"

struct hd_hb;

struct hd_hb *hd_hb_new(void);
void hd_hb_free(struct hd_hb *hb);

/*
 * Take note of @ev. Plain accesses change nothing. After an event that another
 * thread may synchronise with, the thread's own time has advanced. False: out of memory.
 */
bool hd_hb_event(struct hd_hb *hb, const struct hd_event *ev);

/* The same of an ACQUIRE or RELEASE by @thread, faster. */
bool hd_hb_lock(struct hd_hb *hb, uint32_t thread, enum hd_op op, uint64_t lock, uint16_t mode);

/* What @thread does from now on is told from what it did before; nothing is ordered by it. */
bool hd_hb_new_time(struct hd_hb *hb, uint32_t thread);

/* Which thread had @slot at @time. */
uint32_t hd_hb_thread(const struct hd_hb *hb, uint32_t slot, uint32_t time);

/* A thread now: its slot (0: out of memory) and clocks. Valid until the next event. */
struct hd_hb_now {
	const struct hd_vclock *full, *weak;
	uint32_t slot;
};
struct hd_hb_now hd_hb_now(struct hd_hb *hb, uint32_t thread);

/*
 * Is @time of @slot over, and before all that can still come: does every thread that was not joined know of it
 * by the weak relation? Only to be asked where no thread but the first begins without a FORK.
 */
bool hd_hb_is_history(const struct hd_hb *hb, uint32_t slot, uint32_t time);

/* Memory was given back: what was synchronised through it is over. */
void hd_hb_forget(struct hd_hb *hb, uint64_t addr, uint64_t len);

#endif
