/*
 * Predictions about one recorded run, for whoever has candidates or goals: `heddle predict` works
 * through all of them, `heddle check` runs the program by each plan before it goes on.
 */
#ifndef HD_FINDINGS_PREDICTOR_H
#define HD_FINDINGS_PREDICTOR_H

#include "common/answers.h"
#include "predict/predict.h"
#include "trace/plan.h"

/* Zeroed, but for the trace. */
struct hd_predictor {
	struct hd_trace *trace;	    /* borrowed */
	struct hd_predict *predict; /* NULL: not needed yet, or stopped while the run was read */
	struct hd_answers *answers; /* borrowed: what was decided is kept there; NULL: nowhere */
	uint64_t run;		    /* a hash of its events; 0: not known yet */
};

/* Read the run, unless that was done: the first decision does so otherwise. */
enum hd_err hd_predictor_start(struct hd_predictor *p, struct hd_errbuf *eb);
void hd_predictor_free(struct hd_predictor *p);

/*
 * Decide whether any of @goals can be: one way is enough for a schedule; that there is none has to
 * be proved for all. *@chosen is the one that @out is for, @out->seconds what all took. On HD_OK
 * @out is freed with hd_prediction_free(). HD_ERR_STOPPED: the budget ended in the middle, and there
 * is nothing more to ask here.
 */
enum hd_err hd_predictor_decide(struct hd_predictor *p, const struct hd_goal *goals, size_t ngoals,
				const struct hd_predict_options *how, struct hd_prediction *out,
				size_t *chosen, struct hd_errbuf *eb);

/*
 * The same of what the user asks for: without any way there is no schedule; but where there are @more ways
 * than @goals, that none of these has one proves nothing.
 */
enum hd_err hd_predictor_decide_ways(struct hd_predictor *p, const struct hd_goal *goals,
				     size_t ngoals, bool more, const struct hd_predict_options *how,
				     struct hd_prediction *out, size_t *chosen,
				     struct hd_errbuf *eb);

/* The schedule of what was decided, as a plan; @out is freed by the caller. */
enum hd_err hd_predictor_plan(struct hd_predictor *p, const struct hd_goal *goal,
			      const struct hd_prediction *prediction, struct hd_plan *out,
			      struct hd_errbuf *eb);

#endif
