/*
 * The goals of prediction that a goal of the user means: ways to pick an event for each
 * description.
 */
#ifndef HD_FINDINGS_GOAL_WAYS_H
#define HD_FINDINGS_GOAL_WAYS_H

#include "common/err.h"
#include "predict/goal_text.h"

/*
 * Fill in @g->goals from what fits its terms, the nearest to each other first; @p is of the same run.
 * HD_ERR_NOT_FOUND: nothing fits one of them.
 */
enum hd_err hd_goal_ways(struct hd_user_goal *g, const struct hd_predict *p, struct hd_errbuf *eb);

#endif
