/*
 * What must be over before a step besides what the tree says: the order that futures,
 * phasers and other synchronisation between tasks force.
 *
 * A set of *points*, at most one for each task: the point is a step, and that step, and all that
 * must be over before it, is over. Sets are interned; 0 is the empty one. Sets that would become
 * too large are replaced by a bound: every step with a smaller number counts as over. That orders
 * too much (a miss, never a false report).
 */
#ifndef HD_ANALYSIS_TASK_KNOWN_H
#define HD_ANALYSIS_TASK_KNOWN_H

#include "dpst.h"
#include "intern.h"

typedef uint32_t hd_known;

/* Zero-initialise; free with hd_knowns_free. */
struct hd_knowns {
	struct hd_intern sets;
	struct hd_known_point *scratch;
	size_t scratch_room;
	bool failed, bounded; /* out of memory; some set was replaced by a bound */
};

struct hd_known_point {
	uint32_t task; /* its number, from 1; 0: step is a bound */
	hd_dpst_id step;
};

/* A @limit for what is worth little memory: with it, a set that has a bound becomes one. */
#define HD_KNOWN_FEW 16

/* Sets with more points than @limit become bounds below @next, the number of the next step. */
hd_known hd_known_join(struct hd_knowns *k, hd_known a, hd_known b, size_t limit,
		       hd_dpst_id next);
hd_known hd_known_with(struct hd_knowns *k, hd_known a, uint32_t task, hd_dpst_id step,
		       size_t limit, hd_dpst_id next);
/* Without the points below node @scope of @tree. */
hd_known hd_known_outside(struct hd_knowns *k, hd_known a, const struct hd_dpst *tree,
			  hd_dpst_id scope);

/* Is @step over? */
bool hd_known_has(const struct hd_knowns *k, hd_known a, struct hd_dpst *tree, hd_dpst_id step);

void hd_knowns_free(struct hd_knowns *k);

#endif
