#include "solve.h"

#include <stdlib.h>

#include "greedy.h"
#include "search.h"
#include "validate.h"
#include "window.h"

const struct hd_solve_options hd_solve_defaults = {
	.max_states = 1000000,
	.max_seconds = 10,
	.max_bytes = 1ul << 30,
	.first_window = 512,
};

void hd_solution_free(struct hd_solution *s)
{
	free(s->steps);
	s->steps = NULL;
	s->nsteps = 0;
}

/* The observed steps before the window, then what was found. */
static enum hd_err take_schedule(const struct hd_progress *s, const uint32_t *start, size_t first,
				 struct hd_solution *out)
{
	uint32_t *at = malloc(((size_t)s->p->nthreads + 1) * sizeof(*at));

	out->steps = malloc((first + s->ndone + 1) * sizeof(*out->steps));
	if (!out->steps || !at) {
		free(at);
		hd_solution_free(out);
		return HD_ERR_NOMEM;
	}
	for (uint32_t t = 0; t < s->p->nthreads; t++)
		at[t] = start[t];
	for (size_t i = 0; i < first; i++)
		out->steps[i] = (uint32_t)i;
	for (size_t i = 0; i < s->ndone; i++) {
		uint32_t t = s->done[i].thread;

		out->steps[first + i] = hd_operation(s->p, t, at[t]++)->step;
	}
	out->nsteps = first + s->ndone;
	free(at);
	return HD_OK;
}

static enum hd_err decide(struct hd_progress *s, struct hd_closure *c,
			  const struct hd_budget *budget, bool search_only, struct hd_solution *out)
{
	bool found = false;
	enum hd_err err = HD_OK;

	if (!search_only) {
		out->answer = HD_INFEASIBLE;
		out->why = "closure";
		if (!hd_closure_run(c))
			return HD_OK;
		err = hd_greedy(s, c, &found);
		out->answer = HD_FEASIBLE;
		out->why = "greedy";
	}
	if (err || found)
		return err;
	err = hd_search(s, c, budget, &out->answer, &out->why, &out->states);
	if (!err && out->answer != HD_UNDECIDED)
		out->why = "search";
	return err;
}

static enum hd_err solve_from(const struct hd_prepared *p, const struct hd_aim *aim,
			      const struct hd_solve_options *o, size_t first,
			      struct hd_solution *out)
{
	struct hd_budget budget = { o->max_states, hd_seconds() + o->max_seconds, o->max_bytes };
	struct hd_progress s;
	struct hd_closure c;
	enum hd_err err = hd_progress_init(&s, p, aim);

	if (err)
		return err;
	hd_progress_start(&s, first);
	err = hd_closure_init(&c, &s, o->max_bytes, budget.deadline);
	if (!err) {
		uint32_t *start = c.base; /* positions at the start, and they stay */

		err = decide(&s, &c, &budget, o->search_only, out);
		if (!err && out->answer == HD_FEASIBLE)
			err = take_schedule(&s, start, first, out);
		hd_closure_free(&c);
	}
	hd_progress_free(&s);
	return err;
}

enum hd_err hd_solve_window(const struct hd_prepared *p, const struct hd_goal *goal,
			    const struct hd_solve_options *options, size_t first, size_t end,
			    struct hd_solution *out, struct hd_errbuf *eb)
{
	double began = hd_seconds();
	bool possible = false;
	struct hd_aim aim;
	enum hd_err err;

	*out = (struct hd_solution){ .answer = HD_INFEASIBLE, .why = "contradiction",
				     .window_first = first, .window_end = end };
	err = hd_aim_init(&aim, p, goal, end, &possible, eb);
	if (err)
		return err;
	if (possible)
		err = solve_from(p, &aim, options ? options : &hd_solve_defaults, first, out);
	hd_aim_free(&aim);
	out->seconds = hd_seconds() - began;
	if (err) {
		hd_solution_free(out);
		return hd_fail(eb, err, "out of memory while predicting");
	}
	return HD_OK;
}

enum hd_err hd_solution_check(const struct hd_instance *in, const struct hd_goal *goal,
			      const struct hd_solution *s, struct hd_errbuf *eb)
{
	return hd_validate(in, goal, s->steps, s->nsteps, eb);
}

enum hd_err hd_solve_whole(const struct hd_prepared *p, const struct hd_goal *goal,
			   const struct hd_solve_options *options, struct hd_solution *out,
			   struct hd_errbuf *eb)
{
	enum hd_err err = hd_solve_window(p, goal, options, 0, p->in->nsteps, out, eb);

	if (!err && out->answer == HD_UNDECIDED)
		out->window_first = out->window_end = 0;
	if (!err && out->answer == HD_FEASIBLE) {
		err = hd_solution_check(p->in, goal, out, eb);
		if (err)
			hd_solution_free(out);
	}
	return err;
}

enum hd_err hd_solve(const struct hd_instance *in, const struct hd_goal *goal,
		     const struct hd_solve_options *options, struct hd_solution *out,
		     struct hd_errbuf *eb)
{
	struct hd_prepared p;
	enum hd_err err = hd_prepare(&p, in, eb);

	if (err)
		return err;
	err = hd_solve_growing(&p, goal, options, out, eb);
	hd_prepared_free(&p);
	return err;
}
