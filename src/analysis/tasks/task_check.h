/*
 * Atomicity violations and data races of a task program in any schedule, from one run of it.
 *
 * What is assumed: other schedules of the same input make the same tasks with the same accesses and
 * lock operations, in the order in which each task made them here. For them the answer is exact:
 * nothing is missed and nothing reported that no schedule does, for a location (or for
 * those of a group) and for programs ordered by async, finish, futures and locks that each task
 * gives back before its step ends. DESIGN: docs/inside/tasks-atomicity.md.
 *
 * Race: two steps can run in parallel, access a common byte, one writing and one not atomically,
 * and locks let both stand before their accesses at the same time.
 *
 * Atomicity: a step S accesses a location twice (e1, e2), a parallel step accesses it in between
 * (f) so that the three are not serializable (RWR RWW WWR WWW WRW): e1, f, e2 in this order in a
 * schedule that locks allow. Which one is kept for a location need not matter: any two
 * accesses with a write between them, any two writes with a read between them are such a triple,
 * so that sets of steps by what they did twice are enough (task_cells.h).
 *
 * What such a violation weighs (enum hd_hit_weight):
 *   DECLARED  e1 and e2 are in one block that the program declares (BEGIN .. END), or
 *             all steps are declared to be atomic (option `steps_atomic`), or of a declared group
 *   STALE     S writes what it computed from a value that it read before f wrote another: an update
 *             is lost
 *   PATTERN   anything else; programs are full of harmless ones (a loop of isolated blocks)
 * The first two are HD_KIND_TASK_ATOMICITY, the last is a candidate like those of threads,
 * HD_KIND_PATTERN.
 */
#ifndef HD_ANALYSIS_TASK_CHECK_H
#define HD_ANALYSIS_TASK_CHECK_H

#include "common/err.h"
#include "trace/found.h"

struct hd_task_check;

enum hd_task_algorithm {
	HD_TASKS_COMPLETE,
	HD_TASKS_PAPER,	    /* fixed metadata as published: for comparison, it misses some */
	HD_TASKS_VELODROME, /* only this schedule */
};

struct hd_task_options {
	enum hd_task_algorithm algorithm;
	bool no_races, no_atomicity;
	bool steps_atomic; /* every step is a declared block */
	bool other_order;  /* futures, phasers or the like are known to occur */
	bool locations;	   /* tell of every location, not once for all with the same sites: tests */
};

struct hd_task_check *hd_task_check_new(const struct hd_task_options *options);
void hd_task_check_free(struct hd_task_check *c);

/* The next event; @index is its number, or HD_NO_INDEX. */
enum hd_err hd_task_check_event(struct hd_task_check *c, const struct hd_event *ev, uint64_t index);

/* @len bytes at @addr are one more member of a group from now on; GROUP events say so, too. */
enum hd_err hd_task_check_add_group(struct hd_task_check *c, uint64_t addr, uint64_t len,
				    uint32_t group);

/* Tell of what was found since the last time; all that happened so far is taken into account. */
enum hd_err hd_task_check_finish(struct hd_task_check *c, hd_found_fn *fn, void *arg);

/* Has the run any event of a task program? */
bool hd_task_check_has_tasks(const struct hd_task_check *c);

/* Where, in which context and by which thread the task of @thread was made; false: not known. */
bool hd_task_check_origin(const struct hd_task_check *c, uint32_t thread, uint32_t *parent,
			  uint64_t *pc, uint32_t *ctx);

struct hd_task_stats {
	uint64_t accesses;
	uint64_t locations, location_bytes; /* ever known; memory for those known at the end */
	uint64_t nodes, steps, tasks, node_bytes;
	uint64_t queries, walks; /* LCA queries, and those that the cache did not answer */
	uint64_t lock_questions, lock_grids;
	uint64_t ordered, borrowed, crowded; /* see hd_steps, hd_task_cells */
	uint64_t doubtful;		     /* findings that values read under locks may exclude */
	uint64_t groups_left_out;	     /* steps that did too much to a group */
	bool bounded;
};

void hd_task_check_stats(const struct hd_task_check *c, struct hd_task_stats *stats);

#endif
