/*
 * Happens-before: from events to vector clocks, for every kind of synchronisation
 * that events.def lists. Knows nothing of pthreads.
 *
 * Two relations are kept at once: *full*, in which giving a lock back happens
 * before its next taking, and *weak*, which has every edge but those of locks. Threads'
 * own times count for both, so an access is named by one epoch (thread, time) and
 * ordered by either.
 */
#ifndef HD_ANALYSIS_HB_H
#define HD_ANALYSIS_HB_H

#include "trace/event.h"
#include "vclock.h"

struct hd_hb;

struct hd_hb *hd_hb_new(void);
void hd_hb_free(struct hd_hb *hb);

/*
 * Take note of @ev. Accesses change nothing. After an event that another thread may
 * synchronise with, the thread's own time has advanced. False: out of memory.
 */
bool hd_hb_event(struct hd_hb *hb, const struct hd_event *ev);

/* The clocks of @thread now; entry @thread is its own time. Valid until the next event. */
const struct hd_vclock *hd_hb_full(struct hd_hb *hb, uint32_t thread);
const struct hd_vclock *hd_hb_weak(struct hd_hb *hb, uint32_t thread);

/* Does @ev only concern memory (READ, WRITE, ranges), or nothing that orders threads? */
bool hd_hb_ignores(enum hd_op op);

#endif
