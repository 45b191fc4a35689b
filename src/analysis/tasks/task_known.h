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

#include "common/map.h"
#include "analysis/intern.h"
#include "dpst.h"

typedef uint32_t hd_known;

/* Zero-initialise; free with hd_knowns_free. */
struct hd_knowns {
	struct hd_intern sets;
	struct hd_map of_step; /* step -> hd_known, where it is not empty */
	/*
	 * By step: never less than that of a step that must be over before it, by this or by the tree. So most walks end
	 * where they begin.
	 */
	uint32_t *level;
	size_t level_room;
	struct hd_known_point *scratch;
	size_t scratch_room;
	hd_known *ways; /* sets to be looked at in a walk along points ... */
	size_t ways_room;
	uint32_t *seen; /* ... and in which walk they were, by number */
	size_t seen_room;
	uint32_t walk;
	bool failed, bounded; /* out of memory; some set was replaced by a bound */
};

struct hd_known_point {
	uint32_t task; /* its number, from 1; 0: step is a bound */
	hd_dpst_id step;
};

/*
 * With this and a node's number, a UNIT's or a task's. Of what must be over before such a point nothing is repeated in
 * sets: of iterations in a row, or tasks that depend on each other, each would have a set of all that went before.
 * Instead it is followed from point to point (hd_knowns.of_step).
 */
#define HD_KNOWN_FOLLOW 0x80000000u

/*
 * With either number: what is over for memory of the thread's own only. So are tasks that were waited for in
 * a unit and made outside of it (had another thread run the unit, it would not have waited for
 * them), and what the thread learnt in units before this one.
 */
#define HD_KNOWN_OWN 0x40000000u

/*
 * With a node's number and HD_KNOWN_FOLLOW: that units of pools are over that its task ran before. Of the task's other
 * steps the tree says that they are before what it does next, so that their points may go; of these units it does not.
 */
#define HD_KNOWN_POOLS 0x20000000u

/* A @limit for what is worth little memory: with it, a set that has a bound becomes one. */
#define HD_KNOWN_FEW 16

/* Sets with more points than @limit become bounds below @next, the number of the next step. */
hd_known hd_known_join(struct hd_knowns *k, hd_known a, hd_known b, size_t limit, hd_dpst_id next);
hd_known hd_known_with(struct hd_knowns *k, hd_known a, uint32_t task, hd_dpst_id step,
		       size_t limit, hd_dpst_id next);
/*
 * Without the points below node @scope of @tree; what must be over before these is left out, too. But that pools of
 * node @pools are over stays (0: of none).
 */
hd_known hd_known_outside(struct hd_knowns *k, hd_known a, const struct hd_dpst *tree,
			  hd_dpst_id scope, hd_dpst_id pools);

/* The same, for memory of the thread's own only; for all memory, but for points that @except has. */
hd_known hd_known_for_own(struct hd_knowns *k, hd_known a);
hd_known hd_known_for_all(struct hd_knowns *k, hd_known a, hd_known except);
/* That @step of @node, a unit or task, is over, and what must be before it; and the pools that it ran before. */
hd_known hd_known_of_node(struct hd_knowns *k, hd_dpst_id node, hd_dpst_id step);
hd_known hd_known_of_pools(struct hd_knowns *k, hd_dpst_id node, hd_dpst_id step);
/*
 * Both, of units in @scope. If @b says all that @a does, points of @a below @scope go; but not the others: what @b
 * says of these may be by way of a point of its own, which goes with the loop.
 */
hd_known hd_known_join_units(struct hd_knowns *k, hd_known a, hd_known b, struct hd_dpst *tree,
			     hd_dpst_id scope, size_t limit);

/* @step has @level. False: out of memory. */
bool hd_known_set_level(struct hd_knowns *k, hd_dpst_id step, uint32_t level);

/* Is @step over? */
bool hd_known_has(struct hd_knowns *k, hd_known a, struct hd_dpst *tree, hd_dpst_id step);

void hd_knowns_free(struct hd_knowns *k);

#endif
