/*
 * A campaign of seeds: the same program, run by chance again and again.
 */
#ifndef HD_CAMPAIGN_SEEDS_H
#define HD_CAMPAIGN_SEEDS_H

#include "campaign.h"

/*
 * Run @argv (NULL at the end) with each seed from @first to @last, to one report; *@status says what came of it. Each finding is that of
 * the lowest seed that shows it, however many runs there are at a time.
 */
enum hd_err hd_run_seeds(const struct hd_campaign_config *config, char **argv, uint64_t first,
			 uint64_t last, enum hd_status *status);

#endif
