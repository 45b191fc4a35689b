/*
 * Predictions of a campaign that other ranks make: each is told the observed runs once, and decides about candidates of them.
 */
#ifndef HD_CAMPAIGN_FAR_PREDICTIONS_H
#define HD_CAMPAIGN_FAR_PREDICTIONS_H

#include "campaign.h"

#define HD_TOLD_RUN	  'O' /* the letter of a run that is told */
#define HD_JOB_PREDICTION 'Q'

/* The observed runs become known to all who help; false: no memory. */
bool hd_far_tell_runs(struct hd_campaign *c);
/* Ask about @a; nothing if that cannot be. */
void hd_far_ask(struct hd_campaign *c, struct hd_attempt *a, const struct hd_predict_options *how);
/*
 * What was asked, when it is there. *@done is false if nobody answers: then it is to be decided here. HD_ERR_STOPPED: the budget
 * is over.
 */
enum hd_err hd_far_decide(struct hd_campaign *c, struct hd_attempt *a, bool *done,
			  struct hd_errbuf *eb);

/* ---- in another rank ------------------------------------------------------------------- */

struct hd_far_runs {
	struct hd_far_run {
		char *bytes;
		struct hd_trace *trace;
		struct hd_predictor predictor;
	} * list;
	size_t n, room;
};

bool hd_far_take_run(struct hd_far_runs *runs, const char *bytes, size_t len);
bool hd_far_answer(struct hd_far_runs *runs, const char *bytes, size_t len, FILE *answer);
void hd_far_runs_free(struct hd_far_runs *runs);

#endif
