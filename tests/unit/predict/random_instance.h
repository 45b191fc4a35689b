/*
 * Random runs with goals of every kind. The run is made by running random threads, so it is
 * feasible as it stands.
 */
#ifndef HD_TEST_RANDOM_INSTANCE_H
#define HD_TEST_RANDOM_INSTANCE_H

#include "common/rng.h"
#include "predict/instance.h"

struct random_shape {
	uint32_t threads, locations, locks, values;
	size_t steps;
	bool forks;	    /* thread 0 starts the others, and may join them */
	uint32_t slice;	    /* steps that a thread makes in a row, at most */
	bool locked_blocks; /* accesses mostly inside critical sections */
	uint32_t semaphores;
	bool tries; /* locks are tried in vain, too */
};

/* False: out of memory. Free with hd_instance_free. */
bool random_instance(struct hd_rng *rng, const struct random_shape *shape, struct hd_instance *in);

/* 2-4 threads, at most 14 steps, 1-3 locations, values 0-2, 0-2 locks. */
struct random_shape random_small_shape(struct hd_rng *rng);

enum goal_kind {
	GOAL_PATTERN,
	GOAL_OPEN_PATTERN,
	GOAL_RACE,
	GOAL_DEADLOCK,
	GOAL_ORDER,
	GOAL_MIXED,
	GOAL_LIMIT
};

/* False: the run has no steps for such a goal. */
bool random_goal(struct hd_rng *rng, const struct hd_instance *in, enum goal_kind kind,
		 struct hd_step_goal *goal);

#endif
