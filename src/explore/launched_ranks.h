/*
 * Ranks that a launcher has started (mpirun, srun), on this machine or others.
 */
#ifndef HD_EXPLORE_LAUNCHED_RANKS_H
#define HD_EXPLORE_LAUNCHED_RANKS_H

#include "exploration.h"

/* Is there such a launcher, or does @o want one? */
bool hd_ranks_are_launched(const struct hd_explore_config *o);

/* Join the others; @ranks->end() is the way out. HD_ERR_REQUEST: heddle is without what that needs. */
enum hd_err hd_ranks_join(struct hd_ranks *ranks);

/*
 * Rank 0 tells the others what the program finds around it: its environment and input, so that it does the same everywhere.
 * A copy of the launcher's own variables would be another one in each rank.
 */
enum hd_err hd_ranks_greet(struct hd_ranks *ranks, const struct hd_campaign *c);

/* The others: take that, and make slices until there are no more. */
void hd_ranks_help(struct hd_ranks *ranks, const struct hd_explore_config *config, char **argv);

#endif
