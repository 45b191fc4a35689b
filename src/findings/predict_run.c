#include "predict_run.h"

#include <errno.h>
#include <string.h>

#include "common/clock.h"
#include "common/hash.h"
#include "predict_ranks.h"
#include "ranks/launched_ranks.h"
#include "trace_input.h"

static enum hd_err fail(enum hd_err err, const struct hd_errbuf *eb)
{
	bool ours = err == HD_ERR_NOMEM || err == HD_ERR_FULL;

	return hd_error(ours ? err : HD_ERR_REQUEST, "%s", eb->text);
}

/* ---- what is asked ---------------------------------------------------------------------- */

static enum hd_err take_config(struct hd_work *w, const struct hd_predict_config *c)
{
	struct hd_errbuf eb = { 0 };
	enum hd_err err = HD_OK;

	*w = (struct hd_work){ .patterns = c->patterns,
			       .all = c->outputs.all,
			       .plans = c->plans,
			       .pddl = c->pddl,
			       .how = c->how,
			       .total = c->outputs.seconds };
	if (c->patterns && c->goals)
		return hd_error(HD_ERR_REQUEST, "--pattern and --goal exclude each other");
	if (w->how.planner && w->how.solver != HD_SOLVER_SEARCH)
		return hd_error(HD_ERR_REQUEST, "--planner and --solver exclude each other");
	if (!hd_solver_available(w->how.solver))
		return hd_error(HD_ERR_REQUEST,
				"this heddle was built without a SAT solver (CaDiCaL); "
				"--solver search works");
	if (c->patterns)
		err = hd_user_goals_patterns(&w->goals, c->patterns, &eb);
	else if (c->goals)
		err = hd_user_goals_load(&w->goals, c->goals, &eb);
	return err ? fail(err, &eb) : HD_OK;
}

/* ---- the work --------------------------------------------------------------------------- */

/* What a note is due for. */
struct traits {
	bool repeats, calls;
};

static enum hd_err watch(void *arg, const struct hd_event *events, size_t n, uint64_t first)
{
	struct traits *t = arg;

	for (size_t i = 0; i < n; i++) {
		t->repeats |= events[i].op == HD_OP_READ && (events[i].arg & HD_ACCESS_REPEAT);
		t->calls |= events[i].op == HD_OP_FUNC_ENTRY;
	}
	return HD_OK;
}

static enum hd_err find_notes(struct hd_work *w, const struct hd_analyses *a, bool functions,
			      struct hd_errbuf *eb)
{
	const char *const *notes = a ? hd_analyses_notes(a) : NULL;
	struct traits t = { 0 };
	enum hd_err err = hd_run_each(&w->run, watch, &t, eb);

	if (functions && !t.calls && !w->goals.n)
		w->notes[w->nnotes++] = "no functions were recorded (--calls), so none is atomic";
	if (t.repeats)
		w->notes[w->nnotes++] =
			"repeated reads were not recorded (--record-exact keeps "
			"them), so a schedule may let one of them see another value";
	while (notes && *notes && w->nnotes < 7)
		w->notes[w->nnotes++] = *notes++;
	return err;
}

/* What the run itself showed is no prediction. */
static void forget_observed(struct hd_work *w)
{
	bool any = false;

	for (size_t i = 0; i < w->run.nfindings; i++) {
		any |= !w->run.findings[i].certainty.candidate;
		hd_finding_clear(&w->run.findings[i]);
	}
	if (any)
		w->notes[w->nnotes++] = "the run itself has findings: `heddle analyze` shows them";
	w->run.nfindings = 0;
}

static enum hd_err ask(struct hd_work *w, struct hd_analyses *a, struct hd_errbuf *eb)
{
	enum hd_err err;

	if (w->goals.n) {
		err = hd_run_read(&w->run, w->trace, NULL, NULL, eb);
		if (!err)
			err = hd_predictor_start(&w->predictor, eb);
		if (!err || err == HD_ERR_STOPPED)
			err = hd_user_goals_resolve(&w->goals, &w->run, w->predictor.predict, eb);
	} else {
		hd_analyses_without(a, HD_DO_ATOMICITY); /* of the observed run: `heddle analyze` */
		err = hd_candidates_collect(&w->candidates, a, &w->run, w->trace,
					    HD_CERTAIN_IS_TRIED, eb);
	}
	if (!err)
		forget_observed(w);
	if (!err)
		err = hd_work_items(w, eb);
	return err;
}

static enum hd_err report(struct hd_work *w, struct hd_outputs *outputs, double seconds,
			  enum hd_status *status)
{
	enum hd_err err = hd_work_report(w, outputs, seconds, status);

	if (!err && w->disagreed)
		err = hd_error(HD_ERR_SYSTEM, "search and SAT disagree on a question above: please "
					      "report this with the trace");
	return err ? err : hd_outputs_check(outputs, &w->run, *status);
}

/* Read the trace, find what is asked, and be ready to decide it. */
static enum hd_err make_ready(struct hd_work *w, struct hd_analyses *a,
			      const struct hd_analysis_config *what, const char *path,
			      struct hd_errbuf *eb)
{
	enum hd_err err = hd_trace_input(&w->trace, path, eb);

	if (err)
		return err;
	w->predictor.trace = w->trace;
	err = ask(w, a, eb);
	if (!err)
		err = find_notes(w, w->goals.n ? NULL : a, what->atomic || what->atomic_functions,
				 eb);
	if (!err)
		err = hd_predictor_start(&w->predictor, eb);
	return err == HD_ERR_STOPPED ? HD_OK : err; /* then nothing gets decided */
}

static void clear(struct hd_work *w)
{
	if (!w->trace)
		return;
	hd_work_free(w);
	hd_run_free(&w->run);
	hd_trace_close(w->trace);
}

struct crowd {
	struct hd_ranks ranks; /* that a launcher has started; size 0: none */
	unsigned nranks;       /* that are asked for besides */
};

static enum hd_err predict(struct hd_work *w, struct hd_analyses *a,
			   const struct hd_analysis_config *what, struct hd_outputs *outputs,
			   const char *path, const struct crowd *crowd, enum hd_status *status)
{
	double began = hd_now();
	struct hd_errbuf eb = { 0 };
	enum hd_err err = make_ready(w, a, what, path, &eb);

	if (!err)
		err = hd_work_decide_with(w, crowd->nranks, &crowd->ranks, &eb);
	if (w->predictor.answers)
		hd_answers_save(w->predictor.answers); /* before it is told of */
	if (!err && w->predictor.predict)
		err = hd_work_files(w, &eb);
	err = err ? fail(err, &eb) : report(w, outputs, hd_now() - began, status);
	clear(w);
	return err;
}

/* Where what is decided is kept; one file does for any number of traces. */
static enum hd_err open_state(struct hd_work *w, const char *path)
{
	uint64_t none = 0;
	struct hd_errbuf eb = { 0 };
	enum hd_err err = HD_OK;

	if (path)
		err = hd_answers_open(&w->predictor.answers, path,
				      hd_fnv_text(HD_FNV_START, "predict"), &none, &eb);
	return err ? hd_error(err == HD_ERR_INVALID ? HD_ERR_REQUEST : HD_ERR_SYSTEM,
			      "what is decided cannot be kept in '%s': %s", path, eb.text)
		   : HD_OK;
}

static enum hd_err close_state(struct hd_work *w, const char *path, enum hd_err err)
{
	struct hd_answers *answers = w->predictor.answers;

	if (answers && !hd_answers_save(answers) && !err)
		err = hd_error(HD_ERR_SYSTEM, "what is decided could not be kept in '%s': %s", path,
			       strerror(errno));
	hd_answers_close(answers);
	return err;
}

/* A rank that does not lead. */
static enum hd_err help(struct hd_work *w, struct hd_analyses *a,
			const struct hd_analysis_config *what, const char *path,
			struct hd_ranks *ranks)
{
	struct hd_errbuf eb = { 0 };
	enum hd_err err = make_ready(w, a, what, path, &eb);

	if (err)
		ranks->send(ranks->arg, 0, "E", 1);
	else
		hd_work_help(w, ranks);
	clear(w);
	return err ? fail(err, &eb) : HD_OK;
}

static enum hd_err lead(struct hd_work *w, struct hd_analyses *a,
			const struct hd_predict_config *config, const char *path,
			struct crowd *crowd, enum hd_status *status)
{
	struct hd_outputs outputs;
	enum hd_err err = open_state(w, config->state);

	if (!err)
		err = hd_outputs_open(&outputs, &config->outputs);
	if (!err)
		err = hd_outputs_close(
			&outputs, predict(w, a, &config->analysis, &outputs, path, crowd, status));
	return close_state(w, config->state, err);
}

static enum hd_err predict_with(const struct hd_predict_config *config, const char *path,
				struct crowd *crowd, enum hd_status *status)
{
	struct hd_analyses *a = NULL;
	struct hd_work w;
	enum hd_err err = take_config(&w, config);

	if (!err)
		err = hd_analyses_new(&a, &config->analysis, true);
	if (!err && crowd->ranks.rank)
		err = help(&w, a, &config->analysis, path, &crowd->ranks);
	else if (!err)
		err = lead(&w, a, config, path, crowd, status);
	hd_user_goals_free(&w.goals);
	hd_analyses_free(a);
	return err;
}

enum hd_err hd_predict_trace(const struct hd_predict_config *config, const char *path,
			     enum hd_status *status)
{
	struct crowd crowd = { .nranks = config->nranks };
	enum hd_err err = HD_OK;

	*status = HD_STATUS_CLEAN;
	if (!hd_ranks_are_launched(config->mpi))
		err = hd_ranks_look_around(config->mpi);
	else if (config->nranks)
		err = hd_error(HD_ERR_REQUEST, "--ranks is for one machine without MPI: the ranks "
					       "are those that the launcher has started");
	else
		err = hd_ranks_join(&crowd.ranks, config->mpi);
	if (!err)
		err = predict_with(config, path, &crowd, status);
	if (crowd.ranks.end)
		crowd.ranks.end(crowd.ranks.arg);
	return err;
}
