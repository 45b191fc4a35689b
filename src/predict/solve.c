#include "solve.h"

#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "refine.h"
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
	s->observed = s->nsteps = 0;
}

static enum hd_err solve_scene(const struct hd_scene *scene, const struct hd_solve_options *o,
			       struct hd_solution *out)
{
	struct hd_budget budget = { o->max_states, hd_now() + o->max_seconds, o->max_bytes };
	struct hd_refined found;
	enum hd_err err = hd_refine(scene, &budget, &found);

	if (err)
		return err;
	out->answer = found.answer;
	out->states = found.states;
	out->why = scene->impossible ? "contradiction" : found.why;
	if (!out->why)
		out->why = found.states ? "search" : "consequence";
	if (found.answer == HD_FEASIBLE && !scene->open) {
		out->observed = scene->first;
		out->steps = found.steps;
		out->nsteps = found.nsteps;
		return HD_OK;
	}
	free(found.steps);
	return HD_OK;
}

static enum hd_err solve(const struct hd_prepared *p, const struct hd_step_goal *goal,
			 const struct hd_solve_options *options, size_t first, size_t end,
			 bool open, struct hd_solution *out, struct hd_errbuf *eb)
{
	double began = hd_now();
	struct hd_scene scene;
	enum hd_err err;

	*out = (struct hd_solution){ .answer = HD_UNDECIDED,
				     .window_first = first,
				     .window_end = end };
	err = hd_scene_make(&scene, p, goal, first, end, open, eb);
	if (!err) {
		err = solve_scene(&scene, options ? options : &hd_solve_defaults, out);
		if (err)
			hd_fail(eb, err, "out of memory while predicting");
	}
	hd_scene_free(&scene);
	out->seconds = hd_now() - began;
	if (err)
		hd_solution_free(out);
	return err;
}

enum hd_err hd_solve_window(const struct hd_prepared *p, const struct hd_step_goal *goal,
			    const struct hd_solve_options *options, size_t first, size_t end,
			    struct hd_solution *out, struct hd_errbuf *eb)
{
	return solve(p, goal, options, first, end, false, out, eb);
}

enum hd_err hd_refute_window(const struct hd_prepared *p, const struct hd_step_goal *goal,
			     const struct hd_solve_options *options, size_t first, size_t end,
			     struct hd_solution *out, struct hd_errbuf *eb)
{
	enum hd_err err = solve(p, goal, options, first, end, true, out, eb);

	if (!err && out->answer == HD_FEASIBLE)
		out->answer = HD_UNDECIDED;
	return err;
}

enum hd_err hd_solution_check(const struct hd_prepared *p, const struct hd_step_goal *goal,
			      const struct hd_solution *s, struct hd_errbuf *eb)
{
	return hd_validator_check(p->validator, goal, s->observed, s->steps, s->nsteps, eb);
}

/* List the steps that are as observed, too. */
static enum hd_err spell_out(struct hd_solution *s)
{
	uint32_t *all = malloc((s->observed + s->nsteps + 1) * sizeof(*all));

	if (!all)
		return HD_ERR_NOMEM;
	for (size_t i = 0; i < s->observed; i++)
		all[i] = (uint32_t)i;
	if (s->nsteps)
		memcpy(all + s->observed, s->steps, s->nsteps * sizeof(*all));
	free(s->steps);
	s->steps = all;
	s->nsteps += s->observed;
	s->observed = 0;
	return HD_OK;
}

enum hd_err hd_solve_whole(const struct hd_prepared *p, const struct hd_step_goal *goal,
			   const struct hd_solve_options *options, struct hd_solution *out,
			   struct hd_errbuf *eb)
{
	enum hd_err err = hd_solve_window(p, goal, options, 0, p->in->nsteps, out, eb);

	if (!err && out->answer == HD_UNDECIDED)
		out->window_first = out->window_end = 0;
	if (!err && out->answer == HD_FEASIBLE) {
		err = hd_solution_check(p, goal, out, eb);
		if (err)
			hd_solution_free(out);
	}
	return err;
}

enum hd_err hd_solve(const struct hd_instance *in, const struct hd_step_goal *goal,
		     const struct hd_solve_options *options, struct hd_solution *out,
		     struct hd_errbuf *eb)
{
	struct hd_prepared p;
	enum hd_err err = hd_prepare(&p, in, eb);

	if (err)
		return err;
	err = hd_solve_growing(&p, goal, options, out, eb);
	hd_prepared_free(&p);
	if (!err && (out->answer == HD_FEASIBLE || out->beyond_assumed) && spell_out(out)) {
		hd_solution_free(out);
		err = hd_fail(eb, HD_ERR_NOMEM, "out of memory while predicting");
	}
	return err;
}
