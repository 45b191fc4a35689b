/*
 * The complete way: depth first through the states, what the closure finds nearest to the
 * goal first, never twice through the same state, never into one that the closure refutes.
 */
#ifndef HD_PREDICT_SEARCH_H
#define HD_PREDICT_SEARCH_H

#include "closure.h"

struct hd_budget {
	uint64_t states;
	double deadline; /* on the clock of hd_seconds() */
	size_t bytes;	 /* for states, and as much again for clocks */
};

/*
 * Look for the goal from where @s is. HD_FEASIBLE: @s has reached it. HD_INFEASIBLE: there is
 * no way. HD_UNDECIDED: *@why names the budget. *@states counts what was looked at.
 */
enum hd_err hd_search(struct hd_progress *s, struct hd_closure *c, const struct hd_budget *budget,
		      enum hd_answer *answer, const char **why, uint64_t *states);

#endif
