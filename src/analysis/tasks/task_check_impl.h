/*
 * What the algorithms over tasks share: the tree, the locks, the found.
 */
#ifndef HD_ANALYSIS_TASK_CHECK_IMPL_H
#define HD_ANALYSIS_TASK_CHECK_IMPL_H

#include "task_check.h"
#include "task_groups.h"
#include "task_hits.h"
#include "task_values.h"

/* An access under locks, of which it is not known yet how they will be given back. */
struct hd_pending {
	uint64_t granule, at; /* at: the position in the locks' log */
	uint8_t mask;
	uint8_t kind; /* enum hd_did */
	struct hd_did_at where;
};

/* What is known of a task besides its place in the tree. */
struct hd_task_side {
	struct hd_lock_log log;
	struct hd_pending *pending;
	size_t npending, pending_room;
	uint32_t block, depth;	   /* the number of the declared block it is in; 0: none; nesting */
	struct hd_telling telling; /* what its step did to groups */
	uint32_t waiting;	   /* its place in hd_task_check.waiting, plus 1 */
	struct hd_values_now values;
	hd_dpst_id front_step; /* of task_front.h: a step, and the moment of what it does there */
	uint32_t front_moment;
};

/*
 * An access after which the same one once more changes nothing: by the same step, under the
 * same locks, with no other access to these eight bytes in between.
 */
struct hd_repeat {
	uint64_t addr, at;
	hd_dpst_id step;
	uint32_t block, epoch; /* epoch: that of hd_task_check, or all of it is void */
	uint8_t size, kinds;   /* 1: reads, 2: writes */
};

#define HD_REPEATS 4096u

struct hd_task_check {
	struct hd_repeat *repeats; /* HD_REPEATS of them, by address / 8 */
	uint32_t epoch;		   /* changes when memory is given out or back, or grouped */
	struct hd_task_options opt;
	struct hd_steps steps;
	struct hd_task_locks locks;
	struct hd_task_cells cells;
	struct hd_values values;
	struct hd_task_hits hits;
	struct hd_task_groups groups;
	struct hd_task_side **sides; /* by number of the task */
	size_t nsides, sides_room;
	uint32_t *waiting; /* tasks with pending accesses */
	size_t nwaiting, waiting_room;
	uint32_t blocks;
	uint64_t accesses;
	struct hd_task_velodrome *velodrome;
	enum hd_err err;
};

/* An access to one location at a time. */
struct hd_task_access {
	struct hd_task_check *c;
	struct hd_task *task;
	struct hd_task_side *side;
	const struct hd_event *ev;
	uint32_t index; /* + 1; 0: unknown */
	bool write, atomic;
	uint8_t repeats; /* hd_repeat.kinds that hold after it */
};

struct hd_did_raw hd_task_raw(struct hd_task_access *a, uint64_t granule);
struct hd_did_at hd_task_raw_at(struct hd_task_check *c, const struct hd_did_raw *raw);

/* A step with two accesses in @pair can have @other in between. */
void hd_task_torn(struct hd_task_check *c, uint64_t granule, const struct hd_task_cell *cell,
		  enum hd_did kind, const struct hd_did_step *pair,
		  const struct hd_did_step *other);

#endif
