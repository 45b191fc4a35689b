/*
 * Trials that other ranks run.
 *
 * What a run does depends on the trial alone, so it does not matter where it ran. Rank 0 prepares and takes trials as it does
 * with processes of its own (pool.h), in the same order.
 */
#ifndef HD_CAMPAIGN_FAR_TRIALS_H
#define HD_CAMPAIGN_FAR_TRIALS_H

#include "ranks/crew.h"
#include "trial.h"

/* As hd_trials_run(), by @pool->crew; what nobody else can do is done here. */
enum hd_pool_why hd_far_trials_run(struct hd_trials *t, const struct hd_pool *pool);

#endif
