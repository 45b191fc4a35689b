#include "predict.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/map.h"
#include "from_trace.h"
#include "guard.h"
#include "pddl.h"
#include "planner.h"
#include "predict_state.h"
#include "sat.h"
#include "trace/plan.h"
#include "validate.h"
#include "window.h"

const char *hd_decision_word(enum hd_decision d)
{
	static const char *const words[] = { "feasible", "infeasible", "unknown" };

	return words[d];
}

bool hd_solver_available(enum hd_solver solver)
{
	return solver == HD_SOLVER_SEARCH || hd_sat_available();
}

void hd_prediction_free(struct hd_prediction *p)
{
	free(p->events);
	p->events = NULL;
	p->nevents = 0;
	p->scheduled = false;
}

/* ---- making -------------------------------------------------------------------------- */

static bool take_events(struct hd_predict *p, const struct hd_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!HD_ROOM(p->ops, p->ops_room, p->nevents + 1) ||
		    !HD_ROOM(p->threads, p->threads_room, p->nevents + 1))
			return false;
		p->ops[p->nevents] = ev[i].op;
		p->threads[p->nevents++] = ev[i].thread;
		if (ev[i].thread > p->nthreads)
			p->nthreads = ev[i].thread;
	}
	return true;
}

static enum hd_err read_events(struct hd_predict *p)
{
	const struct hd_event *ev;
	size_t n;

	hd_trace_rewind(p->trace);
	while (hd_trace_next(p->trace, &ev, &n, NULL) == HD_OK && n)
		if (!take_events(p, ev, n))
			return HD_ERR_NOMEM;
	return HD_OK;
}

/* Call @take for all events that a plan has and the solvers do not. */
static void each_loose(struct hd_predict *p, void (*take)(struct hd_predict *, uint64_t event))
{
	const struct hd_instance *in = &p->in;
	size_t step = 0;

	for (uint64_t e = 0; e < p->nevents; e++) {
		while (step < in->nsteps && in->steps[step].index < e)
			step++;
		if (hd_op_is_planned(p->ops[e]) &&
		    (step == in->nsteps || in->steps[step].index != e))
			take(p, e);
	}
}

static void count_loose(struct hd_predict *p, uint64_t event)
{
	p->loose_from[p->threads[event] + 2]++;
}

/* loose_from[t + 1] is where the next one of t goes: its end at last. */
static void keep_loose(struct hd_predict *p, uint64_t event)
{
	p->loose[p->loose_from[p->threads[event] + 1]++] = event;
}

static enum hd_err list_loose(struct hd_predict *p)
{
	p->loose_from = calloc(p->nthreads + 4ul, sizeof(*p->loose_from));
	if (!p->loose_from)
		return HD_ERR_NOMEM;
	each_loose(p, count_loose);
	for (uint32_t t = 0; t <= p->nthreads; t++)
		p->loose_from[t + 2] += p->loose_from[t + 1];
	p->loose = malloc((p->loose_from[p->nthreads + 2] + 1) * sizeof(*p->loose));
	if (!p->loose)
		return HD_ERR_NOMEM;
	each_loose(p, keep_loose);
	return HD_OK;
}

/* Everything that follows from the trace; with @thin without what no order changes. */
static enum hd_err take_run(struct hd_predict *p, bool thin, struct hd_errbuf *eb)
{
	enum hd_err err = thin ? hd_instance_thin_from_trace(&p->in, &p->nlocations, p->trace, eb)
			       : hd_instance_from_trace(&p->in, p->trace, eb);

	if (err && err != HD_ERR_NOMEM && err != HD_ERR_STOPPED && p->in.nsteps)
		err = HD_OK; /* the events before the damage */
	if (err)
		return err;
	if (!thin)
		p->nlocations = p->in.nlocations;
	p->is_thin = thin;
	if (!p->nevents)
		err = read_events(p);
	if (!err)
		err = list_loose(p);
	if (err)
		return hd_fail(eb, err, "out of memory for a run of %" PRIu64 " events",
			       p->nevents);
	err = hd_prepare(&p->prepared, &p->in, eb);
	p->is_prepared = !err;
	return err;
}

static void drop_run(struct hd_predict *p)
{
	if (p->is_prepared)
		hd_prepared_free(&p->prepared);
	p->is_prepared = false;
	hd_instance_free(&p->in);
	free(p->loose);
	free(p->loose_from);
	p->loose = NULL;
	p->loose_from = NULL;
}

enum hd_err hd_predict_take_all(struct hd_predict *p, struct hd_errbuf *eb)
{
	if (!p->is_thin)
		return HD_OK;
	drop_run(p);
	p->in = (struct hd_instance){ 0 };
	return take_run(p, false, eb);
}

/* hd_goal_steps(); a goal may be about what was left out, and then everything is taken. */
static enum hd_err steps_of(struct hd_predict *p, const struct hd_goal *goal,
			    struct hd_step_goal *step_goal, struct hd_errbuf *eb)
{
	enum hd_err err = hd_goal_steps(p, goal, step_goal, eb);

	if (err != HD_ERR_UNSUPPORTED || !p->is_thin)
		return err;
	err = hd_predict_take_all(p, eb);
	return err ? err : hd_goal_steps(p, goal, step_goal, eb);
}

enum hd_err hd_predict_new(struct hd_predict **out, struct hd_trace *t, struct hd_errbuf *eb)
{
	struct hd_predict *p = calloc(1, sizeof(*p));
	enum hd_err err;

	*out = NULL;
	if (!p)
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory for prediction");
	p->trace = t;
	err = take_run(p, true, eb);
	if (err) {
		hd_predict_free(p);
		return err;
	}
	*out = p;
	return HD_OK;
}

void hd_predict_free(struct hd_predict *p)
{
	if (!p)
		return;
	drop_run(p);
	free(p->ops);
	free(p->threads);
	free(p);
}

struct hd_predict_size hd_predict_size(const struct hd_predict *p)
{
	const struct hd_instance *in = &p->in;

	return (struct hd_predict_size){ p->nevents, in->nsteps, in->nthreads, p->nlocations,
					 in->nlocks };
}

/* ---- deciding ------------------------------------------------------------------------ */

struct question {
	struct hd_predict *p;
	const struct hd_goal *goal;
	const struct hd_predict_options *options;
	struct hd_step_goal step_goal;
	struct hd_errbuf *eb;
};

static struct hd_solve_options solve_options(const struct hd_predict_options *o)
{
	struct hd_solve_options s = hd_solve_defaults;

	if (o->states)
		s.max_states = o->states;
	if (o->seconds > 0)
		s.max_seconds = o->seconds;
	if (o->bytes)
		s.max_bytes = o->bytes;
	if (o->window)
		s.first_window = o->window;
	return s;
}

static enum hd_err by_search(const struct question *q, struct hd_solution *out)
{
	struct hd_solve_options s = solve_options(q->options);

	return hd_solve_growing(&q->p->prepared, &q->step_goal, &s, out, q->eb);
}

static enum hd_err by_sat(const struct question *q, struct hd_solution *out)
{
	const struct hd_sat_limits limits = { 0 };

	return hd_sat_solve(&q->p->in, &q->step_goal, &limits, hd_validate, out, q->eb);
}

static enum hd_err by_planner(const struct question *q, struct hd_solution *out)
{
	const struct hd_planner planner = { .command = q->options->planner,
					    .seconds = solve_options(q->options).max_seconds,
					    .check = hd_validate };

	return hd_planner_run(&planner, &q->p->in, &q->step_goal, out, q->eb);
}

/* What the steps of a window are as events. */
static void set_window(const struct hd_instance *in, const struct hd_solution *s,
		       struct hd_prediction *out)
{
	size_t end = s->window_end < in->nsteps ? s->window_end : in->nsteps;

	if (s->window_first >= end)
		return;
	out->window_first = in->steps[s->window_first].index;
	out->window_end = in->steps[end - 1].index + 1;
}

static enum hd_err take_schedule(const struct question *q, const struct hd_solution *s,
				 struct hd_prediction *out)
{
	bool whole;
	enum hd_err err = hd_order_events(q->p, q->goal, &q->step_goal, s, out, &whole, q->eb);

	if (err)
		return err;
	out->scheduled = whole;
	if (!whole)
		hd_prediction_free(out);
	return HD_OK;
}

/*
 * The schedule takes an event apart. Ask again so that none can; the answer is that of the
 * question, whatever it is.
 */
static enum hd_err decide_guarded(const struct question *q, struct hd_prediction *out)
{
	struct hd_solve_options o = solve_options(q->options);
	struct hd_guarded g;
	struct hd_solution s;
	enum hd_err err = hd_guard(&g, &q->p->in, &q->step_goal);

	out->decision = HD_DECISION_UNKNOWN;
	out->window_first = out->window_end = 0;
	if (err)
		return hd_fail(q->eb, err, "out of memory for a schedule");
	err = hd_solve(&g.in, &g.goal, &o, &s, q->eb);
	if (!err) {
		s.nsteps = hd_unguard(&g, s.steps, s.nsteps);
		out->seconds += s.seconds;
		out->states += s.states;
		snprintf(out->why, sizeof(out->why), "%s", s.why ? s.why : "");
		if (s.answer == HD_INFEASIBLE) {
			out->decision = HD_DECISION_INFEASIBLE;
			out->window_end = q->p->nevents;
		} else if (s.answer == HD_FEASIBLE) {
			err = take_schedule(q, &s, out);
			if (out->scheduled)
				out->decision = HD_DECISION_FEASIBLE;
			else
				snprintf(out->why, sizeof(out->why),
					 "the schedule that was found splits an access");
		}
		hd_solution_free(&s);
	}
	hd_guarded_free(&g);
	return err;
}

static enum hd_err take_solution(const struct question *q, const struct hd_solution *s,
				 struct hd_prediction *out)
{
	enum hd_err err = HD_OK;

	out->decision = s->answer == HD_FEASIBLE     ? HD_DECISION_FEASIBLE
			: s->answer == HD_INFEASIBLE ? HD_DECISION_INFEASIBLE
						     : HD_DECISION_UNKNOWN;
	out->seconds = s->seconds;
	out->states = s->states;
	snprintf(out->why, sizeof(out->why), "%s", s->why ? s->why : "");
	set_window(&q->p->in, s, out);
	if (s->beyond_assumed) {
		struct question bare = *q;

		bare.step_goal.ignore_assumed = true;
		err = take_schedule(&bare, s, out);
		out->relaxed = out->scheduled;
	}
	if (s->answer != HD_FEASIBLE)
		return err;
	err = take_schedule(q, s, out);
	if (!err && !out->scheduled)
		err = decide_guarded(q, out);
	return err;
}

/* Both, the search's answer first; where only one has an answer, that one's. */
static enum hd_err by_both(const struct question *q, struct hd_prediction *out)
{
	struct hd_solution search, sat;
	const struct hd_solution *best;
	enum hd_err err = by_search(q, &search);

	if (err)
		return err;
	err = by_sat(q, &sat);
	if (err) {
		hd_solution_free(&search);
		return err;
	}
	out->disagreed = search.answer != sat.answer && search.answer != HD_UNDECIDED &&
			 sat.answer != HD_UNDECIDED;
	best = search.answer == HD_UNDECIDED && sat.answer != HD_UNDECIDED ? &sat : &search;
	err = take_solution(q, best, out);
	out->seconds = search.seconds + sat.seconds;
	hd_solution_free(&search);
	hd_solution_free(&sat);
	return err;
}

static enum hd_err decide_precisely(const struct question *q, struct hd_prediction *out)
{
	struct hd_solution s;
	enum hd_err err;

	if (q->options->planner)
		err = by_planner(q, &s);
	else if (q->options->solver == HD_SOLVER_BOTH)
		return by_both(q, out);
	else if (q->options->solver == HD_SOLVER_SAT)
		err = by_sat(q, &s);
	else
		err = by_search(q, &s);
	if (err)
		return err;
	err = take_solution(q, &s, out);
	hd_solution_free(&s);
	return err;
}

/* PENELOPE's way: locks, forks, joins and other synchronisation, but not values. */
static enum hd_err decide_loosely(struct question *q, struct hd_prediction *out)
{
	struct hd_solution s;
	enum hd_err err;

	q->step_goal.ignore_values = true;
	err = by_search(q, &s);
	if (err)
		return err;
	q->step_goal.ignore_assumed = s.beyond_assumed;
	if (s.answer == HD_FEASIBLE || s.beyond_assumed)
		err = take_schedule(q, &s, out);
	hd_solution_free(&s);
	out->relaxed = out->scheduled;
	return err;
}

enum hd_err hd_predict_decide(struct hd_predict *p, const struct hd_goal *goal,
			      const struct hd_predict_options *options, struct hd_prediction *out,
			      struct hd_errbuf *eb)
{
	static const struct hd_predict_options none;
	struct question q = {
		.p = p, .goal = goal, .options = options ? options : &none, .eb = eb
	};
	struct hd_errbuf why = { 0 };
	enum hd_err err = steps_of(p, goal, &q.step_goal, &why);

	*out = (struct hd_prediction){ .decision = HD_DECISION_UNKNOWN };
	if (err == HD_ERR_UNSUPPORTED) {
		snprintf(out->why, sizeof(out->why), "%.250s", why.text);
		return HD_OK;
	}
	if (err)
		return hd_fail(eb, err, "%s", why.text);
	err = decide_precisely(&q, out);
	if (!err && !out->scheduled && q.options->relaxed)
		err = decide_loosely(&q, out);
	if (err)
		hd_prediction_free(out);
	return err;
}

enum hd_err hd_predict_pddl(struct hd_predict *p, const struct hd_goal *goal, FILE *domain,
			    FILE *problem, struct hd_errbuf *eb)
{
	struct hd_step_goal step_goal;
	enum hd_err err = steps_of(p, goal, &step_goal, eb);

	if (err)
		return err;
	err = hd_pddl_write(&p->in, &step_goal, domain, problem);
	return err ? hd_fail(eb, err, "the planning problem cannot be written: %s",
			     hd_err_text(err))
		   : HD_OK;
}
