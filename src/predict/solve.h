/*
 * Decide whether a goal can be reached, and how.
 *
 * Complete with respect to what instance.h says of goals: HD_INFEASIBLE is a proof, and a
 * schedule is given only after the validator has agreed with it.
 */
#ifndef HD_PREDICT_SOLVE_H
#define HD_PREDICT_SOLVE_H

#include "prepare.h"

struct hd_solve_options {
	uint64_t max_states;
	double max_seconds;
	size_t max_bytes;    /* for clocks, and as much again for states */
	size_t first_window; /* steps around the goal to try first; 0: the whole run at once */
};

/* What is used where no options are given. */
extern const struct hd_solve_options hd_solve_defaults;

/*
 * Decide @goal within the whole run, whatever first_window is. @options may be NULL. On HD_OK
 * free @out with hd_solution_free.
 */
enum hd_err hd_solve_whole(const struct hd_prepared *p, const struct hd_step_goal *goal,
			   const struct hd_solve_options *options, struct hd_solution *out,
			   struct hd_errbuf *eb);

/*
 * The same where the steps before @first stay as observed and those from @end on are left
 * out. HD_INFEASIBLE then says nothing about the run. The schedule is not validated yet.
 */
enum hd_err hd_solve_window(const struct hd_prepared *p, const struct hd_step_goal *goal,
			    const struct hd_solve_options *options, size_t first, size_t end,
			    struct hd_solution *out, struct hd_errbuf *eb);

/*
 * Look for a proof that there is no schedule in the whole run, by what is in the window and no
 * more: HD_INFEASIBLE or HD_UNDECIDED.
 */
enum hd_err hd_refute_window(const struct hd_prepared *p, const struct hd_step_goal *goal,
			     const struct hd_solve_options *options, size_t first, size_t end,
			     struct hd_solution *out, struct hd_errbuf *eb);

/* Let the validator look at a HD_FEASIBLE solution. */
enum hd_err hd_solution_check(const struct hd_prepared *p, const struct hd_step_goal *goal,
			      const struct hd_solution *s, struct hd_errbuf *eb);

/* Prepare, and decide by windows that grow (window.h): for a single goal. All steps are listed. */
enum hd_err hd_solve(const struct hd_instance *in, const struct hd_step_goal *goal,
		     const struct hd_solve_options *options, struct hd_solution *out,
		     struct hd_errbuf *eb);

#endif
