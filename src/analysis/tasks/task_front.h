/*
 * The analysis of tasks behind a front of thin locations (task_thin.h): what several threads may call
 * at once, and what it takes the caller's lock for.
 *
 *   for each plain access:
 *     step = known of this task since its last event, or hd_task_front_step(), under the lock
 *     if step, and hd_thin_seen() or hd_thin_access(): done
 *     else hd_task_front_event(), under the lock
 *     (with the lane's own and keep set, if the caller has one lane only: hd_task_front_at())
 *   hd_thin.learn is called by hd_thin_access(), and takes the lock itself
 *   for each other event: hd_task_front_event(), under the lock; the step is unknown then
 */
#ifndef HD_ANALYSIS_TASK_FRONT_H
#define HD_ANALYSIS_TASK_FRONT_H

#include "common/map.h"
#include "task_check.h"
#include "task_thin.h"

struct hd_task_front {
	struct hd_task_check *check;
	struct hd_thin thin;
	struct hd_thin_lane *lane; /* hd_task_front_one_lane(); NULL: there are several */
	uint32_t scopes;	   /* of the tree, when the lane was told last */
	struct hd_map moments;	   /* step -> its moment in thin locations, if that is not 0 */
};

/* False: these options do without it (or there is no address space). */
bool hd_task_front_init(struct hd_task_front *f, struct hd_task_check *check,
			const struct hd_task_options *options);

/*
 * One thread does all. Then all order counts, also what the tree does not know and what values make
 * (task_values.h), and memory of tasks' own.
 */
void hd_task_front_one_lane(struct hd_task_front *f, struct hd_thin_lane *lane);

void hd_task_front_free(struct hd_task_front *f);

/* The step that @thread is in; 0: its accesses now are for the analysis itself. */
hd_dpst_id hd_task_front_step(struct hd_task_front *f, uint32_t thread);

/* Before hd_thin_access() to @addr, where there is one lane. */
void hd_task_front_at(struct hd_task_front *f, uint64_t addr);

/* The same before hd_thin_access_line(). False: parts of the line are a task's own. */
bool hd_task_front_at_line(struct hd_task_front *f, uint64_t line);

/* The hd_thin_learn_fn of the front, for @front; under the lock. */
uint32_t hd_task_front_learn(void *front, uint32_t doing, const struct hd_thin_place *place);

/* The next event of a thread. */
enum hd_err hd_task_front_event(struct hd_task_front *f, const struct hd_event *ev, uint64_t index);

#endif
