/*
 * heddle predict: which other orders of a recorded run are possible.
 */
#include <stdlib.h>
#include <string.h>

#include "cli_options.h"
#include "common/clock.h"
#include "findings/predict_work.h"
#include "findings/trace_input.h"

static int help(void)
{
	fputs("usage: heddle predict TRACE [options]\n\n"
	      "Reads a trace (recorded, imported, or a run as text) and decides for everything that\n"
	      "its analyses hold to be possible (three-access patterns, races, deadlocks) whether\n"
	      "another order of the same events brings it about, in which locks are respected and\n"
	      "every read sees the value that it saw:\n"
	      "  feasible    there is a schedule, shown in columns\n"
	      "  infeasible  proved: there is none\n"
	      "  unknown     with the budget that ran out\n"
	      "Numbers of events are those of `heddle trace dump`.\n",
	      stdout);
	hd_cli_options_help(HD_FOR_PREDICT, stdout);
	fputs("\nExit status: 0 nothing found, 1 findings (a race or deadlock that has a schedule, a\n"
	      "declared block or group that can be torn, a goal of --goal that can be reached), 2 the\n"
	      "command or its input was wrong, 3 heddle itself failed (also: the solvers disagree),\n"
	      "4 nothing found, but --time ran out.\n"
	      "\nexample:\n"
	      "  heddle run --record bank.htr --record-exact -- ./bank\n"
	      "  heddle predict bank.htr --plans plans\n",
	      stdout);
	return HD_EXIT_CLEAN;
}

static int fail(enum hd_err err, const struct hd_errbuf *eb)
{
	bool ours = err == HD_ERR_NOMEM || err == HD_ERR_FULL;

	return hd_complain(ours ? HD_EXIT_FAILED : HD_EXIT_USAGE, "%s", eb->text);
}

/* ---- options ---------------------------------------------------------------------------- */

static double seconds_of(const char *value)
{
	return value ? strtod(value, NULL) : 0;
}

static int take_options(struct hd_work *w, const struct hd_cli_options *o)
{
	const char *solver = o->value[HD_OPT_SOLVER], *window = o->value[HD_OPT_WINDOW];
	struct hd_errbuf eb = { 0 };
	enum hd_err err = HD_OK;

	w->patterns = o->value[HD_OPT_PATTERN];
	w->all = o->value[HD_OPT_ALL];
	w->plans = o->value[HD_OPT_PLANS];
	w->pddl = o->value[HD_OPT_PDDL];
	w->how = (struct hd_predict_options){
		.solver = !strcmp(solver, "sat")    ? HD_SOLVER_SAT
			  : !strcmp(solver, "both") ? HD_SOLVER_BOTH
						    : HD_SOLVER_SEARCH,
		.states = strtoull(o->value[HD_OPT_STATES], NULL, 10),
		.seconds = seconds_of(o->value[HD_OPT_BUDGET]),
		.bytes = strtoull(o->value[HD_OPT_MEMORY], NULL, 10),
		.window = strtoull(window, NULL, 10),
		.relaxed = *o->value[HD_OPT_RELAXED] == '1',
		.planner = o->value[HD_OPT_PLANNER],
	};
	w->total = seconds_of(o->value[HD_OPT_TIME]);
	if (o->value[HD_OPT_PATTERN] && o->value[HD_OPT_GOAL])
		return hd_usage("--pattern and --goal are two ways to ask: one at a "
			      "time");
	if (w->how.planner && w->how.solver != HD_SOLVER_SEARCH)
		return hd_usage("--planner takes the place of --solver: one at a "
			      "time");
	if (!hd_solver_available(w->how.solver))
		return hd_usage("this heddle was built without a SAT solver "
			      "(CaDiCaL); --solver search works");
	if (o->value[HD_OPT_PATTERN])
		err = hd_user_goals_patterns(&w->goals, o->value[HD_OPT_PATTERN], &eb);
	else if (o->value[HD_OPT_GOAL])
		err = hd_user_goals_load(&w->goals, o->value[HD_OPT_GOAL], &eb);
	return err ? fail(err, &eb) : HD_EXIT_CLEAN;
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
		w->notes[w->nnotes++] = "repeated reads were not recorded (--record-exact keeps "
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
		any |= !w->run.findings[i].candidate;
		hd_finding_clear(&w->run.findings[i]);
	}
	if (any)
		w->notes[w->nnotes++] = "the run itself has findings: `heddle analyze` tells them";
	w->run.nfindings = 0;
}

static enum hd_err ask(struct hd_work *w, struct hd_analyses *a, struct hd_errbuf *eb)
{
	enum hd_err err;

	if (w->goals.n) {
		err = hd_run_read(&w->run, w->trace, NULL, NULL, eb);
		if (!err)
			err = hd_user_goals_resolve(&w->goals, &w->run, eb);
	} else {
		hd_analyses_without(a, HD_DO_ATOMICITY); /* of the observed run: `heddle analyze` */
		err = hd_candidates_collect(&w->candidates, a, &w->run, w->trace, HD_CERTAIN_IS_TRIED, eb);
	}
	if (!err)
		forget_observed(w);
	if (!err)
		err = hd_work_items(w, eb);
	return err;
}

static int report(struct hd_work *w, struct hd_outputs *outputs, double seconds)
{
	FILE *text = outputs->config->text;
	enum hd_status status = HD_STATUS_CLEAN;
	enum hd_err err = hd_work_report(w, outputs, seconds, &status);
	int rc = hd_exit_with(err, status);

	if (rc <= HD_EXIT_FINDINGS && fflush(text) != 0)
		rc = hd_failed("the report could not be written");
	if (rc <= HD_EXIT_FINDINGS && w->disagreed)
		rc = hd_failed("search and SAT disagree on a question above: please "
			    "report this with the trace");
	/* Of a trace that breaks off, nobody can say that it has no findings. */
	if (rc == HD_EXIT_CLEAN && w->run.damage[0])
		rc = hd_usage("%s", w->run.damage);
	return rc;
}

static int predict(struct hd_work *w, struct hd_analyses *a, const struct hd_analysis_config *what,
		   struct hd_outputs *outputs, const char *path)
{
	double began = hd_now();
	struct hd_errbuf eb = { 0 };
	enum hd_err err = hd_trace_input(&w->trace, path, &eb);
	int rc;

	if (err)
		return fail(err, &eb);
	w->predictor.trace = w->trace;
	err = ask(w, a, &eb);
	if (!err)
		err = find_notes(w, w->goals.n ? NULL : a, what->atomic || what->atomic_functions, &eb);
	if (!err)
		err = hd_predictor_start(&w->predictor, &eb);
	if (err == HD_ERR_STOPPED)
		err = HD_OK; /* then nothing gets decided */
	if (!err)
		err = hd_work_decide(w, &eb);
	if (!err && w->predictor.predict)
		err = hd_work_files(w, &eb);
	rc = err ? fail(err, &eb) : report(w, outputs, hd_now() - began);
	hd_work_free(w);
	hd_run_free(&w->run);
	hd_trace_close(w->trace);
	return rc;
}

int hd_cmd_predict(int argc, char **argv)
{
	struct hd_work w = { 0 };
	struct hd_analyses *a = NULL;
	struct hd_cli_options o;
	struct hd_outputs outputs;
	const char *path = NULL;
	int rc = hd_cli_options_init(&o, HD_FOR_PREDICT);

	if (rc == HD_GO_ON)
		rc = hd_cli_options_parse_trace(&o, argc, argv, &path);
	if (rc == HD_GO_ON && o.value[HD_OPT_HELP])
		rc = help();
	if (rc == HD_GO_ON && !path)
		rc = hd_usage("which trace? `heddle predict TRACE [options]`");
	if (rc == HD_GO_ON) {
		struct hd_analysis_config what;
		struct hd_output_config config;

		hd_cli_options_analysis(&o, &what);
		hd_cli_options_outputs(&o, &config);
		rc = take_options(&w, &o);
		if (rc == HD_EXIT_CLEAN)
			rc = hd_exit_for(hd_analyses_new(&a, &what, true));
		if (rc == HD_EXIT_CLEAN)
			rc = hd_exit_for(hd_outputs_open(&outputs, &config));
		if (rc == HD_EXIT_CLEAN)
			rc = hd_close_outputs(&outputs, predict(&w, a, &what, &outputs, path));
		hd_user_goals_free(&w.goals);
		hd_analyses_free(a);
	}
	hd_cli_options_free(&o);
	return rc;
}
