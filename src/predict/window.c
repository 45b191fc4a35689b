#include "window.h"

#include <stdlib.h>

#include "common/budget.h"
#include "common/clock.h"
#include "refine.h"

/* What windows may cost that are not the last: a larger one may be easy. */
#define WINDOW_STATES 30000
#define WINDOW_TIME   0.2 /* of what is left */
#define GROWTH	      4

struct span {
	size_t first, end;
};

static size_t step_of(const struct hd_step_goal *goal, size_t i)
{
	return i < goal->norder ? goal->order[i] : goal->next[i - goal->norder];
}

/*
 * The last step of the goal that has to happen, and those before it with no more than @gap between
 * them: what is further back may have happened as observed, and what need not happen, later.
 */
static struct span goal_core(const struct hd_step_goal *goal, size_t gap)
{
	size_t n = goal->norder + goal->nnext, open = goal->open_end ? goal->norder - 1 : n;
	struct span s = { 0, 0 };
	bool more = true;

	for (size_t i = 0; i < n; i++)
		if (step_of(goal, i) >= s.end && (i != open || n == 1))
			s.end = step_of(goal, i) + 1;
	s.first = s.end ? s.end - 1 : 0;
	while (more) {
		more = false;
		for (size_t i = 0; i < n; i++)
			if (step_of(goal, i) < s.first && s.first - step_of(goal, i) <= gap) {
				s.first = step_of(goal, i);
				more = true;
			}
	}
	return s;
}

static struct span widen(struct span s, size_t by, size_t nsteps)
{
	s.first = s.first > by ? s.first - by : 0;
	s.end = nsteps - s.end > by ? s.end + by : nsteps;
	return s;
}

/*
 * How many steps of the run as it was reach the goal; 0: they do not. Patterns whose accesses are
 * millions of steps apart are often like that, and no window is smaller than these are.
 */
static size_t reached_as_observed(const struct hd_prepared *p, const struct hd_step_goal *goal)
{
	size_t needed = goal->norder - (goal->open_end && goal->norder);

	if (goal->nnext || !needed)
		return 0;
	for (size_t i = 0; i < goal->norder; i++)
		if (goal->order[i] >= p->in->nsteps || (i && goal->order[i - 1] >= goal->order[i]))
			return 0;
	return (size_t)goal->order[needed - 1] + 1;
}

static void take_as_observed(size_t n, struct hd_solution *out)
{
	*out = (struct hd_solution){ .answer = HD_FEASIBLE,
				     .why = "observed",
				     .observed = n,
				     .window_first = n,
				     .window_end = n };
}

/* One question after the other within a budget for all of them. */
struct asking {
	const struct hd_prepared *p;
	const struct hd_step_goal *goal;
	const struct hd_solve_options *all;
	double deadline;
	uint64_t states; /* so far */
	struct hd_solution *out;
	struct hd_errbuf *eb;
};

static enum hd_err ask(struct asking *a, struct span w, bool last, bool refute)
{
	struct hd_solve_options o = *a->all;
	uint64_t left = o.max_states > a->states ? o.max_states - a->states : 0;
	enum hd_err err;

	if (hd_budget_over()) {
		*a->out = (struct hd_solution){ .answer = HD_UNDECIDED, .why = "time" };
		return HD_OK;
	}
	o.max_seconds = (a->deadline - hd_now()) * (last ? 1 : WINDOW_TIME);
	o.max_states = last || left < WINDOW_STATES ? left : WINDOW_STATES;
	if (refute)
		err = hd_refute_window(a->p, a->goal, &o, w.first, w.end, a->out, a->eb);
	else
		err = hd_solve_window(a->p, a->goal, &o, w.first, w.end, a->out, a->eb);
	if (!err)
		a->states += a->out->states;
	return err;
}

/* Windows that grow, until one has a schedule, or proves that the run has none. */
static enum hd_err grow(struct asking *a, size_t by, struct span *none)
{
	size_t nsteps = a->p->in->nsteps;

	for (;; by *= GROWTH) {
		struct span w = widen(goal_core(a->goal, by), by, nsteps);
		bool whole = !by || w.end - w.first >= nsteps / 2;
		enum hd_err err;

		if (whole)
			w = (struct span){ 0, nsteps };
		err = ask(a, w, whole, false);
		if (err || whole || a->out->answer == HD_FEASIBLE)
			return err;
		if (a->out->answer == HD_INFEASIBLE)
			*none = w;
		err = ask(a, w, false, true);
		if (err || a->out->answer == HD_INFEASIBLE)
			return err;
	}
}

/* Does what was proved hold without what is only assumed, too? If not, it was no proof. */
static enum hd_err ask_without_assumed(struct asking *a, size_t first_window)
{
	struct hd_step_goal goal = *a->goal;
	struct span none = { 0, 0 };
	enum hd_err err;

	goal.ignore_assumed = true;
	a->goal = &goal;
	err = grow(a, first_window, &none);
	if (err || a->out->answer == HD_INFEASIBLE)
		return err;
	if (a->out->answer == HD_FEASIBLE) {
		err = hd_solution_check(a->p, &goal, a->out, a->eb);
		a->out->beyond_assumed = true;
	}
	a->out->answer = HD_UNDECIDED;
	a->out->why = HD_WHY_ASSUMED;
	return err;
}

enum hd_err hd_solve_growing(const struct hd_prepared *p, const struct hd_step_goal *goal,
			     const struct hd_solve_options *options, struct hd_solution *out,
			     struct hd_errbuf *eb)
{
	const struct hd_solve_options *o = options ? options : &hd_solve_defaults;
	double began = hd_now();
	struct asking a = { .p = p,
			    .goal = goal,
			    .all = o,
			    .deadline = began + o->max_seconds,
			    .out = out,
			    .eb = eb };
	struct span none = { 0, 0 };
	size_t observed;
	enum hd_err err = HD_OK;

	if (goal->norder > HD_STEP_GOAL_MAX || goal->nnext > HD_STEP_GOAL_MAX)
		return hd_fail(eb, HD_ERR_INVALID, "a goal has at most %d steps", HD_STEP_GOAL_MAX);
	observed = o->first_window ? reached_as_observed(p, goal) : 0;
	if (observed)
		take_as_observed(observed, out);
	else
		err = grow(&a, o->first_window, &none);
	if (!err && out->answer == HD_FEASIBLE)
		err = hd_solution_check(p, goal, out, eb);
	else if (!err && out->answer == HD_INFEASIBLE && p->assumes && !goal->ignore_assumed)
		err = ask_without_assumed(&a, o->first_window);
	if (err) {
		hd_solution_free(out);
		return err;
	}
	out->states = a.states;
	if (out->answer == HD_UNDECIDED && !out->beyond_assumed) {
		out->window_first = none.first;
		out->window_end = none.end;
	} else if (out->answer == HD_INFEASIBLE) {
		out->window_first = 0;
		out->window_end = p->in->nsteps;
	}
	out->seconds = hd_now() - began;
	return HD_OK;
}
