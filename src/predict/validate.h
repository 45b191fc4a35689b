/*
 * Is a schedule what it claims to be? Written without any of the solver's code, so that a
 * mistake there is not repeated here.
 */
#ifndef HD_PREDICT_VALIDATE_H
#define HD_PREDICT_VALIDATE_H

#include "instance.h"

/*
 * Check program order, forks and joins, locks, the values of reads, and the goal.
 * HD_ERR_INVALID: @eb says what is wrong, and where.
 */
enum hd_err hd_validate(const struct hd_instance *in, const struct hd_step_goal *goal,
			const uint32_t *steps, size_t nsteps, struct hd_errbuf *eb);

/*
 * The same for a schedule whose first @as_observed steps are those of the run, in their order:
 * they have happened, so only what comes after them is looked at.
 */
enum hd_err hd_validate_after(const struct hd_instance *in, const struct hd_step_goal *goal,
			      const uint32_t *steps, size_t nsteps, size_t as_observed,
			      struct hd_errbuf *eb);

#endif
