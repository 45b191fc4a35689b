/*
 * In place of sat.c where there is no SAT solver to build with.
 */
#include "predict/sat.h"

bool hd_sat_available(void)
{
	return false;
}

enum hd_err hd_sat_solve(const struct hd_instance *instance, const struct hd_step_goal *goal,
			 const struct hd_sat_limits *limits, hd_plan_check check,
			 struct hd_solution *out, struct hd_errbuf *eb)
{
	*out = (struct hd_solution){ .answer = HD_UNDECIDED, .why = "there is no SAT solver" };
	return hd_fail(eb, HD_ERR_UNSUPPORTED,
		       "this heddle was built without a SAT solver: install CaDiCaL (Debian: "
		       "libcadical-dev) and build it again");
}
