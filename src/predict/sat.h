/*
 * Decide a prediction problem with a SAT solver (CaDiCaL): a way that shares nothing with
 * the search, for problems small enough that every pair of steps can have a variable.
 */
#ifndef HD_PREDICT_SAT_H
#define HD_PREDICT_SAT_H

#include "predict/plan_check.h"

struct hd_sat_limits {
	size_t steps;  /* that can matter for the goal; 0: HD_SAT_STEPS */
	int conflicts; /* of the SAT solver; 0: no limit */
};

/* The clauses grow with the third power: a million or two, and a second or so, at this size. */
#define HD_SAT_STEPS 256

/* Was heddle built with a SAT solver? If not, hd_sat_solve() is HD_ERR_UNSUPPORTED. */
bool hd_sat_available(void);

/*
 * A schedule that @check refuses is HD_ERR_INVALID: a mistake in this procedure.
 * HD_UNDECIDED names the limit. @out->steps is to be freed by the caller.
 */
enum hd_err hd_sat_solve(const struct hd_instance *instance, const struct hd_step_goal *goal,
			 const struct hd_sat_limits *limits, hd_plan_check check,
			 struct hd_solution *out, struct hd_errbuf *eb);

#endif
