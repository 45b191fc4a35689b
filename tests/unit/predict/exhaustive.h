/*
 * The oracle: all interleavings of a small run, one after the other.
 */
#ifndef HD_TEST_EXHAUSTIVE_H
#define HD_TEST_EXHAUSTIVE_H

#include "predict/instance.h"

/* At most 4 threads of 15 steps, 4 locations with values below 4, 4 locks. */
bool exhaustive_feasible(const struct hd_instance *in, const struct hd_step_goal *goal);

/* Is this one of the interleavings that reach the goal? */
bool exhaustive_accepts(const struct hd_instance *in, const struct hd_step_goal *goal,
			const uint32_t *steps, size_t nsteps);

/* What a solver should say: HD_UNDECIDED where only what is assumed stands against it. */
enum hd_answer exhaustive_answer(const struct hd_instance *in, const struct hd_step_goal *goal);

#endif
