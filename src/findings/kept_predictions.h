/*
 * Predictions that are kept in a file (common/answers.h): what was decided of a run is not decided again.
 */
#ifndef HD_FINDINGS_KEPT_PREDICTIONS_H
#define HD_FINDINGS_KEPT_PREDICTIONS_H

#include "predictor.h"

/* As hd_predictor_decide() is asked. */
struct hd_question {
	const struct hd_goal *goals;
	size_t ngoals;
	const struct hd_predict_options *how;
};

/* Then the rest is as hd_predictor_decide() would have it, *@err included. */
bool hd_prediction_is_known(struct hd_predictor *p, const struct hd_question *q,
			    struct hd_prediction *out, size_t *chosen, struct hd_errbuf *eb,
			    enum hd_err *err);
/* Does it need not be asked of anybody? */
bool hd_prediction_is_kept(struct hd_predictor *p, const struct hd_question *q);
/* This was decided, here or by somebody else. */
void hd_prediction_keep(struct hd_predictor *p, const struct hd_question *q, enum hd_err err,
			const struct hd_prediction *prediction, size_t chosen,
			const struct hd_errbuf *eb);

#endif
