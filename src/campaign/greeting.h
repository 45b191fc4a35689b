/*
 * Ranks that a launcher has started, and what the program finds around it: the same in all of them.
 */
#ifndef HD_CAMPAIGN_GREETING_H
#define HD_CAMPAIGN_GREETING_H

#include "campaign.h"
#include "ranks/ranks.h"

/*
 * Rank 0 tells the others what the program finds around it: its environment and input, so that it does the same everywhere.
 * A copy of the launcher's own variables would be another one in each rank.
 */
enum hd_err hd_ranks_greet(struct hd_ranks *ranks, const struct hd_campaign *c);

/* The others: the first message; NULL: there will be none. */
char *hd_ranks_await(struct hd_ranks *ranks, size_t *len);
/* Take it. False: it is not for what is here: another program, or other options. */
bool hd_ranks_take_greeting(struct hd_campaign *c, const char *text, size_t len);

#endif
