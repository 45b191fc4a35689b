/*
 * Which events of a run the descriptions of a goal fit.
 */
#ifndef HD_FINDINGS_PREDICT_MATCH_H
#define HD_FINDINGS_PREDICT_MATCH_H

#include "common/err.h"
#include "predict/goal_text.h"
#include "report/run_model.h"

/*
 * Find the events of the run that each description fits, and fill in the goals: ways to pick
 * one for each, the nearest to each other first. A description that nothing fits is an error.
 * @p is of the same run.
 */
struct hd_predict;
enum hd_err hd_user_goals_resolve(struct hd_user_goals *g, struct hd_run *run, struct hd_predict *p,
				  struct hd_errbuf *eb);

#endif
