#include "predictor.h"

#include "kept_predictions.h"

enum hd_err hd_predictor_start(struct hd_predictor *p, struct hd_errbuf *eb)
{
	return p->predict ? HD_OK : hd_predict_new(&p->predict, p->trace, eb);
}

void hd_predictor_free(struct hd_predictor *p)
{
	if (p->predict)
		hd_predict_free(p->predict);
	p->predict = NULL;
}

static bool is_better(const struct hd_prediction *a, const struct hd_prediction *b)
{
	if ((a->decision == HD_DECISION_FEASIBLE) != (b->decision == HD_DECISION_FEASIBLE))
		return a->decision == HD_DECISION_FEASIBLE;
	if (a->scheduled != b->scheduled)
		return a->scheduled;
	return a->decision == HD_DECISION_UNKNOWN && b->decision == HD_DECISION_INFEASIBLE;
}

/* Keep the better one of @best and @new in @best; true: it is @new. */
static bool keep_better(struct hd_prediction *best, struct hd_prediction *new)
{
	bool disagreed = best->disagreed || new->disagreed, better = is_better(new, best);

	hd_prediction_free(better ? best : new);
	if (better)
		*best = *new;
	best->disagreed = disagreed;
	return better;
}

static enum hd_err decide(struct hd_predictor *p, const struct hd_goal *goals, size_t ngoals,
			  const struct hd_predict_options *how, struct hd_prediction *out,
			  size_t *chosen, struct hd_errbuf *eb)
{
	enum hd_err err = hd_predictor_start(p, eb);
	double seconds = 0;

	*chosen = 0;
	for (size_t i = 0; i < ngoals && !err; i++) {
		struct hd_prediction new;

		err = hd_predict_decide(p->predict, &goals[i], how, &new, eb);
		if (err) {
			if (i)
				hd_prediction_free(out);
			break;
		}
		seconds += new.seconds;
		if (!i)
			*out = new;
		else if (keep_better(out, &new))
			*chosen = i;
		if (out->decision == HD_DECISION_FEASIBLE)
			break;
	}
	if (!err)
		out->seconds = seconds;
	if (err == HD_ERR_STOPPED) /* in the middle: what is known of the run is not whole */
		hd_predictor_free(p);
	return err;
}

enum hd_err hd_predictor_decide(struct hd_predictor *p, const struct hd_goal *goals, size_t ngoals,
				const struct hd_predict_options *how, struct hd_prediction *out,
				size_t *chosen, struct hd_errbuf *eb)
{
	const struct hd_question q = { goals, ngoals, how };
	enum hd_err err;

	if (hd_prediction_is_known(p, &q, out, chosen, eb, &err))
		return err;
	err = decide(p, goals, ngoals, how, out, chosen, eb);
	hd_prediction_keep(p, &q, err, out, *chosen, eb);
	return err;
}

enum hd_err hd_predictor_decide_ways(struct hd_predictor *p, const struct hd_goal *goals,
				     size_t ngoals, bool more, const struct hd_predict_options *how,
				     struct hd_prediction *out, size_t *chosen,
				     struct hd_errbuf *eb)
{
	enum hd_err err = HD_OK;

	*chosen = 0;
	if (ngoals) {
		err = hd_predictor_decide(p, goals, ngoals, how, out, chosen, eb);
	} else {
		*out = (struct hd_prediction){ .decision = HD_DECISION_INFEASIBLE };
		snprintf(out->why, sizeof(out->why), "one thread always does it in between");
	}
	if (!err && out->decision == HD_DECISION_INFEASIBLE && more) {
		out->decision = HD_DECISION_UNKNOWN;
		out->window_first = out->window_end = 0;
		snprintf(out->why, sizeof(out->why),
			 "more events fit the goal than were tried; #N says which is meant");
	}
	return err;
}

enum hd_err hd_predictor_plan(struct hd_predictor *p, const struct hd_goal *goal,
			      const struct hd_prediction *prediction, struct hd_plan *out,
			      struct hd_errbuf *eb)
{
	enum hd_err err = hd_predictor_start(p, eb);

	return err ? err : hd_predict_plan(p->predict, goal, prediction, out, eb);
}
