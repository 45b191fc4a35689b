/*
 * Is the order of some accesses the reason that a run fails? The same run, with only that order
 * changed, must not fail so.
 */
#ifndef HD_CAMPAIGN_BLAME_H
#define HD_CAMPAIGN_BLAME_H

#include "campaign.h"
#include "trace/segment.h"

/* A decision of a schedule. */
struct hd_blame_step {
	uint32_t chosen; /* as in struct hd_segment */
	uint32_t owner;	 /* the thread that runs by it, or was running when it was made */
	uint32_t held;	 /* locks that the owner has when it has done so */
	uint64_t index;	 /* of its event: what comes after it, up to the next, is done by it */
};

/* How to put a torn pattern right. */
enum hd_mending {
	HD_MEND_LATER,	 /* the thread that was torn apart comes to its last access first */
	HD_MEND_EARLIER, /* the thread that tore it does so before the first access */
	HD_MEND_AFTER, /* it does so after the last one, where the others are what that waits for */
	HD_MENDINGS
};

/*
 * The @n decisions with those moved, critical sections as a whole, that separate event @e1 of a thread from its @e2 (HD_NO_INDEX: it
 * did not come to that) by event @f of another one; as segments, freed by the caller. NULL: no memory.
 */
struct hd_segment *hd_mend(const struct hd_blame_step *list, size_t n, const uint64_t event[3],
			   enum hd_mending how, size_t *nout);

/*
 * The witness @w, which fails again and again, shows the pattern @wanted. *@blamed: with the pattern put
 * right in one of the ways it does not fail so any more, and no run without it is known that does. True, too,
 * if that cannot be tried, unless there was no time to look for such a run. Where such a run is known, it and the one that shows the pattern change places in @w.
 * A @declared block is broken anyway: it is blamed unless it fails so where it is put right, in whichever way.
 */
enum hd_err hd_campaign_blame(struct hd_campaign *c, struct hd_witness *w,
			      const struct hd_found *wanted, bool declared, bool *blamed);

/*
 * *@waits: in the run of @w the two outer accesses of @wanted are reads by one place in one call (or by one line, with a wait
 * for a condition variable in between), between which its thread does nothing with other memory: a loop that waits for
 * what the other thread writes, which tears nothing apart.
 */
enum hd_err hd_campaign_only_waits(const struct hd_witness *w, const struct hd_found *wanted,
				   bool *waits);

#endif
