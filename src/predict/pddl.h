/*
 * A prediction problem as a planning problem in PDDL.
 *
 * The encoding is that of Razavi, Farzan and McIlraith, "Predicting Atomicity Violations in
 * Concurrent Programs via Planning": an action per event, named Ac<thread>_<n> (both from 1),
 * and where a read may see several writes an action per write, Ac<thread>_<n>-coupled_<w>.
 * Only STRIPS is needed. What the paper does not have:
 * - Fork and join, by preconditions. Read locks, by a fact for each lock and reader.
 * - A read at the goal has one more action, Ac<thread>_<n>-free, which sees any value and
 *   after which its thread does not go on.
 * - The paper's goal, that f happened and e2 did not before it, is that of an open end.
 *   Without it, e2 has to follow. If it is an access it can as soon as it is next: then the
 *   goal is also that the step before it is done, and hd_planner_plan_read() adds e2 to the plan.
 */
#ifndef HD_PREDICT_PDDL_H
#define HD_PREDICT_PDDL_H

#include <stdio.h>

#include "predict/instance.h"

/* HD_ERR_IO if something could not be written, HD_ERR_INVALID for an impossible goal. */
enum hd_err hd_pddl_write(const struct hd_instance *instance, const struct hd_step_goal *goal,
			  FILE *domain, FILE *problem);

/* May a plan go without the last step of @goal, because it can follow every plan? */
bool hd_pddl_last_follows(const struct hd_instance *instance, const struct hd_step_goal *goal);

#endif
