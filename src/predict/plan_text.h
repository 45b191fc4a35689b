/*
 * What a planner writes, read back as steps.
 *
 * Understood are FF's "step 0: AC1_1", Fast Downward's "(ac1_1 )", time-stamped plans as
 * "0.000: (ac1_1) [1]" and plain lists of actions; ';' starts a comment.
 */
#ifndef HD_PREDICT_PLAN_TEXT_H
#define HD_PREDICT_PLAN_TEXT_H

#include "predict/instance.h"

enum hd_planner_source {
	HD_PLANNER_FILE,   /* nothing but a plan: anything else in it is an error */
	HD_PLANNER_OUTPUT, /* what a planner printed: only lines that start with an action count */
};

struct hd_planner_plan {
	uint32_t *steps;
	size_t nsteps;
	size_t nactions; /* that the text has; steps are fitted to the goal, see pddl.h */
};

/*
 * Read a plan for the domain that hd_pddl_write() writes. Nothing is checked but that the
 * steps exist: a plan with nactions == 0 may be no plan at all.
 */
enum hd_err hd_planner_plan_read(const struct hd_instance *instance,
				 const struct hd_step_goal *goal, const char *text,
				 enum hd_planner_source source, struct hd_planner_plan *plan,
				 struct hd_errbuf *eb);
void hd_planner_plan_free(struct hd_planner_plan *plan);

#endif
