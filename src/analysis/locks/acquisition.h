/*
 * Acquisition histories: the locks that a thread holds at a point and, for each of them, which
 * others it has taken since it took that one (given back or not). Interned.
 *
 * Two threads can be at two points at the same time only if no lock is held by both, and if
 * there is no pair of locks l, m such that one holds l and has since used m while the other
 * holds m and has since used l: each would have had to use its second lock before the other
 * took it for good. Locks held for reading exclude only writers, in all of this.
 *
 * Necessary whatever the program does. Sufficient (locks alone considered) for two threads
 * whose locks nest: then the stretches between the locks held at the points are closed and can
 * run in one piece, and the rule says that they can be put in order. With a third thread,
 * or locks given back in another order than the reverse of taking, it may admit what is not
 * possible; it never refuses what is. So it is with more than HD_ACQ_HELD locks held, or more than
 * HD_ACQ_SINCE taken since one of them: those beyond are left out.
 */
#ifndef HD_ANALYSIS_ACQUISITION_H
#define HD_ANALYSIS_ACQUISITION_H

#include "lockset.h"

struct hd_acquisitions;

typedef uint32_t hd_acq;
#define HD_ACQ_NONE 0u /* no lock held */

#define HD_ACQ_HELD  64u
#define HD_ACQ_SINCE 64u

/* @sets stays the caller's. */
struct hd_acquisitions *hd_acquisitions_new(struct hd_locksets *sets);
void hd_acquisitions_free(struct hd_acquisitions *a);

/* The history after taking @lock, after giving it back. */
hd_acq hd_acq_take(struct hd_acquisitions *a, hd_acq at, uint64_t lock, bool exclusive);
hd_acq hd_acq_give(struct hd_acquisitions *a, hd_acq at, uint64_t lock);

/* The same locks as @set, with nothing known of what was taken since. */
hd_acq hd_acq_of_set(struct hd_acquisitions *a, hd_lockset set);

hd_lockset hd_acq_set(const struct hd_acquisitions *a, hd_acq at);

/* By locks, can two threads be at such points at the same time? */
bool hd_acq_compatible(struct hd_acquisitions *a, hd_acq x, hd_acq y);

/* Memory ran out at some point; results since then are not to be trusted. */
bool hd_acquisitions_failed(const struct hd_acquisitions *a);

#endif
