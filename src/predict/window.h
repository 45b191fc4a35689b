/*
 * Long runs: windows around the goal that double until there is a schedule in one of them.
 *
 * What happened before a window stays as it was (the run's own beginning is feasible), so a
 * schedule within a window is one of the run. That there is none in a window proves
 * nothing; only the whole run, tried last, does.
 */
#ifndef HD_PREDICT_WINDOW_H
#define HD_PREDICT_WINDOW_H

#include "solve.h"

/* As hd_solve_whole, from windows of options->first_window steps on. */
enum hd_err hd_solve_growing(const struct hd_prepared *p, const struct hd_step_goal *goal,
			     const struct hd_solve_options *options, struct hd_solution *out,
			     struct hd_errbuf *eb);

#endif
