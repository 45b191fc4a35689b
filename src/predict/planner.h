/*
 * Decide a prediction problem with a planner that is somebody else's program.
 */
#ifndef HD_PREDICT_PLANNER_H
#define HD_PREDICT_PLANNER_H

#include "predict/plan_check.h"

struct hd_planner {
	/*
	 * A shell command, run where the caller is. {domain}, {problem} and {plan} stand for
	 * files in a folder that is removed afterwards. Without a plan file after the run (or
	 * without {plan}), the plan is looked for in what the command printed.
	 */
	const char *command;
	double seconds;	     /* then it is killed with all that it started; 0: no limit */
	hd_plan_check check; /* what believes or refuses its plan */
};

/*
 * HD_OK with HD_FEASIBLE and a schedule that @planner->check believes, or with HD_UNDECIDED:
 * no plan, whatever the reason that the planner gives, is not a proof. A command that cannot
 * be run or fails, a plan that cannot be read and one that is wrong are errors.
 * @out->steps is to be freed by the caller.
 */
enum hd_err hd_planner_run(const struct hd_planner *planner, const struct hd_instance *instance,
			   const struct hd_step_goal *goal, struct hd_solution *out,
			   struct hd_errbuf *eb);

#endif
