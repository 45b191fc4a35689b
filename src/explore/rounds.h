/*
 * The accounts of an exploration in rounds: what all of them did, and what is left for the next.
 */
#ifndef HD_EXPLORE_ROUNDS_H
#define HD_EXPLORE_ROUNDS_H

#include "explorer.h"

/* Take what a round of @s and @seconds used from the budgets in @how; false: nothing is left. */
bool hd_xoptions_spend(struct hd_xoptions *how, const struct hd_xstats *s, double seconds);

/* Add a round to @sum. What cannot be added (how it ended, what pct found) is the last round's. */
void hd_xstats_add(struct hd_xstats *sum, const struct hd_xstats *s);

#endif
