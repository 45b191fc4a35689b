#include "predict/sat.h"

#include <ccadical.h>
#include <stdlib.h>

#include "common/clock.h"
#include "predict/sat_encode.h"

/* What IPASIR solvers answer. */
#define SATISFIABLE   10
#define UNSATISFIABLE 20

bool hd_sat_available(void)
{
	return true;
}

/* The schedule in the making: the nodes in their new order, with what has no node in between. */
struct reading {
	const struct hd_sat_problem *p;
	CCaDiCaL *solver;
	struct hd_solution *out;
	uint32_t *done; /* of each thread: how many of its steps are in the schedule */
};

/* Let @thread get to its @count'th step. */
static void add_up_to(struct reading *r, uint32_t thread, uint32_t count)
{
	while (r->done[thread] < count)
		r->out->steps[r->out->nsteps++] =
			hd_step_at(&r->p->index, thread, ++r->done[thread]);
}

static void add_node(struct reading *r, uint32_t pos)
{
	const struct hd_step *s = &r->p->in->steps[pos];
	uint32_t last =
		s->kind == HD_STEP_JOIN ? hd_step_last(&r->p->index, s->object) : HD_NO_STEP;

	/* A thread may end with steps that have no node. */
	if (last != HD_NO_STEP)
		add_up_to(r, s->object, r->p->index.ordinal[last]);
	add_up_to(r, s->thread, r->p->index.ordinal[pos]);
}

static bool is_true(const struct reading *r, int literal)
{
	return ccadical_val(r->solver, literal) > 0;
}

/* The nodes that come before a node are its place in the order. */
static size_t place_of(const struct reading *r, size_t node)
{
	const struct hd_sat_problem *p = r->p;
	size_t place = 0;

	for (size_t o = 0; o < p->nnodes; o++) {
		int literal = p->before[o * p->nnodes + node];

		if (o == node)
			continue;
		if (p->in->steps[p->step_of[o]].thread == p->in->steps[p->step_of[node]].thread)
			place += o < node;
		else
			place += is_true(r, literal);
	}
	return place;
}

static enum hd_err read_schedule(struct reading *r, struct hd_errbuf *eb)
{
	const struct hd_sat_problem *p = r->p;
	uint32_t *at = malloc((p->nnodes + 1) * sizeof *at);
	enum hd_err err = HD_OK;

	r->done = calloc((size_t)p->in->nthreads + 1, sizeof *r->done);
	r->out->steps = malloc((p->in->nsteps + 1) * sizeof *r->out->steps);
	if (!at || !r->done || !r->out->steps) {
		err = hd_fail(eb, HD_ERR_NOMEM, "out of memory for a schedule");
		goto out;
	}
	for (uint32_t i = 0; i < p->nnodes; i++)
		at[place_of(r, i)] = i;
	for (size_t i = 0; i < p->nnodes; i++)
		if (is_true(r, p->executed[at[i]]))
			add_node(r, p->step_of[at[i]]);
	for (size_t i = 0; i < p->goal->nnext; i++)
		add_up_to(r, p->in->steps[p->goal->next[i]].thread,
			  p->index.ordinal[p->goal->next[i]] - 1);
out:
	free(at);
	free(r->done);
	return err;
}

static enum hd_err take_schedule(struct reading *r, hd_plan_check check, struct hd_errbuf *eb)
{
	struct hd_errbuf wrong = { .text = "" };
	enum hd_err err = read_schedule(r, eb);

	if (!err && check(r->p->in, r->p->goal, r->out->steps, r->out->nsteps, &wrong))
		err = hd_fail(eb, HD_ERR_INVALID, "the SAT solver's schedule is wrong: %.400s",
			      wrong.text);
	if (!err) {
		r->out->answer = HD_FEASIBLE;
		r->out->window_end = r->p->in->nsteps;
		return HD_OK;
	}
	free(r->out->steps);
	r->out->steps = NULL;
	r->out->nsteps = 0;
	return err;
}

static enum hd_err solve(const struct hd_sat_problem *p, int conflicts, hd_plan_check check,
			 struct hd_solution *out, struct hd_errbuf *eb)
{
	struct reading r = { .p = p, .solver = ccadical_init(), .out = out };
	enum hd_err err = HD_OK;

	ccadical_set_option(r.solver, "quiet", 1);
	for (size_t i = 0; i < p->nliterals; i++)
		ccadical_add(r.solver, p->clauses[i]);
	if (conflicts > 0)
		ccadical_limit(r.solver, "conflicts", conflicts);
	switch (ccadical_solve(r.solver)) {
	case SATISFIABLE:
		err = take_schedule(&r, check, eb);
		break;
	case UNSATISFIABLE:
		out->answer = HD_INFEASIBLE;
		out->window_end = p->in->nsteps;
		out->why = "the clauses contradict each other";
		break;
	default:
		out->why = "the SAT solver's limit of conflicts";
		break;
	}
	ccadical_release(r.solver);
	return err;
}

static enum hd_err decide(const struct hd_instance *instance, const struct hd_step_goal *goal,
			  const struct hd_sat_limits *limits, hd_plan_check check,
			  struct hd_solution *out, struct hd_errbuf *eb)
{
	struct hd_sat_problem problem;
	enum hd_err err;

	*out = (struct hd_solution){ .answer = HD_UNDECIDED };
	err = hd_sat_encode(&problem, instance, goal, limits->steps ? limits->steps : HD_SAT_STEPS,
			    eb);
	if (!err && problem.too_large)
		out->why = "too many steps for the SAT solver";
	else if (!err)
		err = solve(&problem, limits->conflicts, check, out, eb);
	hd_sat_problem_free(&problem);
	return err;
}

static bool assumes(const struct hd_instance *in)
{
	for (size_t i = 0; i < in->nsteps; i++)
		if (in->steps[i].kind == HD_STEP_READ && in->steps[i].assumed)
			return true;
	return false;
}

enum hd_err hd_sat_solve(const struct hd_instance *instance, const struct hd_step_goal *goal,
			 const struct hd_sat_limits *limits, hd_plan_check check,
			 struct hd_solution *out, struct hd_errbuf *eb)
{
	double started = hd_now();
	struct hd_step_goal bare = *goal;
	enum hd_err err = decide(instance, goal, limits, check, out, eb);

	if (!err && out->answer == HD_INFEASIBLE && !goal->ignore_assumed && assumes(instance)) {
		bare.ignore_assumed = true;
		err = decide(instance, &bare, limits, check, out, eb);
		if (!err && out->answer != HD_INFEASIBLE) {
			out->beyond_assumed = out->answer == HD_FEASIBLE;
			out->answer = HD_UNDECIDED;
			out->why = HD_WHY_ASSUMED;
		}
	}
	out->seconds = hd_now() - started;
	return err;
}
