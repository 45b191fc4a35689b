/*
 * Which memory do threads share? A place matters if two accesses to it, one a
 * write, by different threads, could come in another order: that is, if creating
 * and joining threads does not order them. All other accesses, most of a run, can be
 * left out of a trace and no analysis of conflicts will miss them.
 *
 * Kept for every eight bytes. Errs to the side of "shared".
 */
#ifndef HD_ANALYSIS_SHARING_H
#define HD_ANALYSIS_SHARING_H

#include <stdbool.h>

#include "trace/event.h"

struct hd_sharing;

enum hd_sharing_by {
	HD_SHARING_ORDER, /* what another order would change, as said above */
	/*
	 * Also what can only come in one order, such as between the begin and the end of a block that makes a
	 * thread and waits for it: an access of one thread could come between two of another, one of them or both a write.
	 */
	HD_SHARING_TORN,
};

struct hd_sharing *hd_sharing_new(enum hd_sharing_by by);
void hd_sharing_free(struct hd_sharing *s);

/* First every event of the run, in order; false: out of memory. */
bool hd_sharing_learn(struct hd_sharing *s, const struct hd_event *ev);
/* Then: is @ev worth keeping? True for whatever is no plain access. */
bool hd_sharing_matters(const struct hd_sharing *s, const struct hd_event *ev);

/* The words of eight bytes (address / 8) that matter; @fn returns false to stop, and so does this. */
typedef bool hd_shared_word_fn(void *arg, uint64_t word);
bool hd_sharing_each(const struct hd_sharing *s, hd_shared_word_fn *fn, void *arg);

#endif
