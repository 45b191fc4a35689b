#include "window.h"

#include <stdlib.h>

#include "search.h"

/* The search in a window that is not the last should cost little: a larger one may be easy. */
#define WINDOW_STATES 200
#define WINDOW_TIME   0.1 /* of what is left */

struct span {
	size_t first, end;
};

/* From the first to the last step of the goal. */
static struct span goal_span(const struct hd_goal *goal)
{
	struct span s = { SIZE_MAX, 0 };

	for (size_t i = 0; i < goal->norder + goal->nnext; i++) {
		uint32_t step =
		    i < goal->norder ? goal->order[i] : goal->next[i - goal->norder];

		if (step < s.first)
			s.first = step;
		if (step >= s.end)
			s.end = (size_t)step + 1;
	}
	if (s.first == SIZE_MAX)
		s.first = 0;
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
static size_t reached_as_observed(const struct hd_prepared *p, const struct hd_goal *goal)
{
	size_t needed = goal->norder - (goal->open_end && goal->norder);

	if (goal->nnext || !needed)
		return 0;
	for (size_t i = 0; i < goal->norder; i++)
		if (goal->order[i] >= p->in->nsteps || (i && goal->order[i - 1] >= goal->order[i]))
			return 0;
	return (size_t)goal->order[needed - 1] + 1;
}

static enum hd_err take_as_observed(size_t n, struct hd_solution *out, struct hd_errbuf *eb)
{
	*out = (struct hd_solution){ .answer = HD_FEASIBLE, .why = "observed", .nsteps = n,
				     .window_first = n, .window_end = n };
	out->steps = malloc(n * sizeof(*out->steps));
	if (!out->steps)
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory while predicting");
	for (size_t i = 0; i < n; i++)
		out->steps[i] = (uint32_t)i;
	return HD_OK;
}

enum hd_err hd_solve_growing(const struct hd_prepared *p, const struct hd_goal *goal,
			     const struct hd_solve_options *options, struct hd_solution *out,
			     struct hd_errbuf *eb)
{
	struct hd_solve_options o = options ? *options : hd_solve_defaults;
	double began = hd_seconds(), all_seconds = o.max_seconds;
	uint64_t all_states = o.max_states, states = 0;
	struct span core, none = { 0, 0 };
	size_t observed;
	enum hd_err err;

	if (goal->norder > HD_GOAL_MAX || goal->nnext > HD_GOAL_MAX)
		return hd_fail(eb, HD_ERR_INVALID, "a goal has at most %d steps", HD_GOAL_MAX);
	core = goal_span(goal);
	observed = o.search_only ? 0 : reached_as_observed(p, goal);
	if (observed) {
		err = take_as_observed(observed, out, eb);
		if (err)
			return err;
	}
	for (size_t by = o.first_window; !observed; by *= 2) {
		bool whole = !by || core.end >= p->in->nsteps / 2 + core.first;
		struct span w = whole ? core : widen(core, by, p->in->nsteps);

		whole = whole || w.end - w.first >= p->in->nsteps / 2;
		if (whole)
			w = (struct span){ 0, p->in->nsteps };
		o.max_seconds = (began + all_seconds - hd_seconds()) * (whole ? 1 : WINDOW_TIME);
		o.max_states = whole || all_states < WINDOW_STATES ? all_states : WINDOW_STATES;
		err = hd_solve_window(p, goal, &o, w.first, w.end, out, eb);
		if (err)
			return err;
		states += out->states;
		if (out->answer == HD_INFEASIBLE && !whole)
			none = w;
		if (out->answer == HD_FEASIBLE || whole)
			break;
	}
	out->states = states;
	if (out->answer == HD_UNDECIDED) {
		out->window_first = none.first;
		out->window_end = none.end;
	} else if (out->answer == HD_FEASIBLE) {
		err = hd_solution_check(p->in, goal, out, eb);
		if (err)
			hd_solution_free(out);
	}
	out->seconds = hd_seconds() - began;
	return err;
}
