/*
 * Is a schedule what it claims to be? Written without any of the solver's code, so that a
 * mistake there is not repeated here.
 */
#ifndef HD_PREDICT_VALIDATE_H
#define HD_PREDICT_VALIDATE_H

#include "instance.h"

/* What is known of a run beforehand, so that a schedule costs no more than it changes. */
struct hd_validator;

/* @in must outlive the result. HD_ERR_NOMEM. */
enum hd_err hd_validator_new(struct hd_validator **out, const struct hd_instance *in);
void hd_validator_free(struct hd_validator *v);

/*
 * Check program order, forks and joins, locks, the values of reads, and the goal, of a schedule that
 * begins with the first @observed steps of the run, in their order, and goes on with @steps: the
 * former have happened, so only what comes after them is looked at.
 * HD_ERR_INVALID: @eb says what is wrong, and where.
 */
enum hd_err hd_validator_check(const struct hd_validator *v, const struct hd_step_goal *goal,
			       size_t observed, const uint32_t *steps, size_t nsteps,
			       struct hd_errbuf *eb);

/* The same of one schedule, nothing of which is taken for granted. */
enum hd_err hd_validate(const struct hd_instance *in, const struct hd_step_goal *goal,
			const uint32_t *steps, size_t nsteps, struct hd_errbuf *eb);

#endif
