#include "far_predictions.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "common/budget.h"
#include "findings/prediction_bytes.h"

#define WAIT 100 /* milliseconds between looks at the budget */

/* After the letter. */
struct question {
	uint64_t run;
	struct hd_goal goal;
	struct hd_predict_options how; /* without texts */
};

/* ---- rank 0 -------------------------------------------------------------------------------- */

static bool tell_run(struct hd_campaign *c, const struct hd_trial *t)
{
	struct stat st;
	size_t len = fstat(t->trace_fd, &st) == 0 ? (size_t)st.st_size : 0;
	char *bytes = len ? malloc(len + 1) : NULL;
	bool ok = bytes && pread(t->trace_fd, bytes + 1, len, 0) == (ssize_t)len;

	if (ok) {
		bytes[0] = HD_TOLD_RUN;
		ok = hd_crew_tell(c->crew, bytes, len + 1, NULL);
	}
	free(bytes);
	return ok;
}

bool hd_far_tell_runs(struct hd_campaign *c)
{
	for (size_t i = 0; i < c->nobservations; i++) {
		if (!tell_run(c, c->observations[i].trial))
			return false;
	}
	return true;
}

void hd_far_ask(struct hd_campaign *c, struct hd_attempt *a, const struct hd_predict_options *how)
{
	char *bytes = malloc(1 + sizeof(struct question));
	struct question q;

	if (!bytes)
		return;
	memset(&q, 0, sizeof(q));
	q.run = (uint64_t)(a->from - c->observations);
	q.goal = a->candidate->goal;
	q.how = *how;
	bytes[0] = HD_JOB_PREDICTION;
	memcpy(bytes + 1, &q, sizeof(q));
	a->asked = hd_crew_post(c->crew, bytes, 1 + sizeof(q));
}

enum hd_err hd_far_decide(struct hd_campaign *c, struct hd_attempt *a, bool *done,
			  struct hd_errbuf *eb)
{
	enum hd_err err = HD_OK;
	char *bytes = NULL;
	size_t len = 0, chosen;

	*done = false;
	while (!hd_crew_answer(c->crew, a->asked, &bytes, &len)) {
		if (hd_budget_over())
			return HD_ERR_STOPPED;
		if (hd_crew_wait(c->crew, WAIT))
			continue;
		hd_crew_forget(c->crew, a->asked);
		a->asked = 0;
		return HD_OK;
	}
	a->asked = 0;
	err = hd_prediction_get(bytes, len, &a->prediction, &chosen, eb, done);
	free(bytes);
	return *done ? err : HD_OK;
}

/* ---- in another rank ------------------------------------------------------------------------- */

bool hd_far_take_run(struct hd_far_runs *runs, const char *bytes, size_t len)
{
	struct hd_far_run *r;

	if (!HD_ROOM(runs->list, runs->room, runs->n + 1))
		return false;
	r = &runs->list[runs->n];
	*r = (struct hd_far_run){ .bytes = malloc(len + 1) };
	if (!r->bytes)
		return false;
	memcpy(r->bytes, bytes, len);
	if (hd_trace_open_mem(&r->trace, r->bytes, len, NULL) != HD_OK) {
		free(r->bytes);
		return false;
	}
	r->predictor.trace = r->trace;
	runs->n++;
	return true;
}

bool hd_far_answer(struct hd_far_runs *runs, const char *bytes, size_t len, FILE *answer)
{
	struct hd_prediction p = { 0 };
	struct hd_errbuf eb = { 0 };
	struct question q;
	size_t chosen = 0;
	enum hd_err err;
	bool ok;

	if (len != sizeof(q))
		return false;
	memcpy(&q, bytes, sizeof(q));
	if (q.run >= runs->n)
		return false;
	q.how.planner = NULL;
	err = hd_predictor_decide(&runs->list[q.run].predictor, &q.goal, 1, &q.how, &p, &chosen,
				  &eb);
	if (err == HD_ERR_STOPPED) /* of our own doing, not of the question's */
		return false;
	ok = hd_prediction_put(answer, err, &eb, &p, chosen);
	if (!err)
		hd_prediction_free(&p);
	return ok;
}

void hd_far_runs_free(struct hd_far_runs *runs)
{
	for (size_t i = 0; i < runs->n; i++) {
		hd_predictor_free(&runs->list[i].predictor);
		hd_trace_close(runs->list[i].trace);
		free(runs->list[i].bytes);
	}
	free(runs->list);
}
