/*
 * Permission regions that nobody has written down: from one execution of a task program, the accesses
 * that share an object (a variable, a heap block) between tasks that can run in parallel. The accesses
 * of such an object, and of those that the same instructions use, are a class; the region is what
 * a task does with a class between two scheduling points (runtime/explore/inferred.h).
 */
#ifndef HD_EXPLORE_EXPLORE_INFER_H
#define HD_EXPLORE_EXPLORE_INFER_H

#include "campaign/campaign.h"
#include "refinement.h"

struct hd_inferred_class {
	struct hd_places sites;
	bool write;
	char *object; /* the name of one; NULL: it has none */
	char *where;  /* "a.c:10-14 in work, a.c:20 in root" */
};

struct hd_inferred {
	struct hd_inferred_class *classes;
	size_t n, room;
};

/*
 * From the run of @t, with its trace: all of it, or (@most > 0) until there is a thread with a
 * higher number. False: no memory.
 */
bool hd_infer_regions(struct hd_inferred *in, struct hd_trial *t, uint32_t most);
/* For the option region-sites; NULL: no memory. At most @max bytes: classes that do not fit are left out. */
char *hd_inferred_text(struct hd_inferred *in, size_t max);
/* What was found, as notes; @calm are numbers, from 1, of those that were refined. */
void hd_inferred_note(const struct hd_inferred *in, const struct hd_places *calm,
		      struct hd_campaign *c);
void hd_inferred_free(struct hd_inferred *in);

#endif
