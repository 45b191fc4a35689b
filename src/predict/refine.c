#include "refine.h"

#include <stdlib.h>
#include <string.h>

#include "common/budget.h"
#include "common/clock.h"
#include "refining.h"

#define RESTART 64 /* conflicts, times Luby's sequence */

/* --- decisions --- */

/* How many steps of its thread would have to be executed for @node to be. */
static uint32_t steps_to(const struct hd_refining *r, uint32_t node)
{
	uint32_t low = r->s->from[r->s->thread[node]], high = node + 1;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (hd_is_executed(r, mid))
			low = mid + 1;
		else
			high = mid;
	}
	return node + 1 - low;
}

/* How far @read would have to move to be before all that was written otherwise. */
static double way_to_start(const struct hd_refining *r, uint32_t read)
{
	const struct hd_scene *s = r->s;
	uint32_t x = s->object[read], first = r->os.graph.place[read];

	for (uint32_t k = s->writes_from[x]; k < s->writes_from[x + 1]; k++) {
		uint32_t w = s->writes[k];

		if (s->op[w]->value != s->op[read]->value && hd_is_executed(r, w) &&
		    r->os.graph.place[w] < first)
			first = r->os.graph.place[w];
	}
	return r->os.graph.place[read] - first;
}

static double cost_of(const struct hd_refining *r, uint32_t lit)
{
	struct hd_tie t = r->os.ties[lit >> 1];
	double cost = 1;

	if (lit & 1 || t.to == HD_NO_NODE)
		return cost;
	if (t.from == HD_NO_NODE) {
		cost += way_to_start(r, t.to);
	} else {
		if (!hd_is_executed(r, t.from))
			cost += 4.0 * steps_to(r, t.from);
		if (!hd_is_before(r, t.from, t.to))
			cost += r->os.graph.place[t.from] - r->os.graph.place[t.to];
		if (r->s->op[t.from]->step < r->s->op[t.to]->step)
			cost *= 0.5;
	}
	return cost / (1 + r->os.weight[lit >> 1] / r->os.bump);
}

static uint32_t cheapest(const struct hd_refining *r, uint32_t c)
{
	const uint32_t *lits = r->os.clauses + c + 1;
	uint32_t best = UINT32_MAX;
	double least = 0;

	for (uint32_t i = 0; i < r->os.clauses[c]; i++) {
		double cost;

		if (hd_os_value(&r->os, lits[i]))
			continue;
		cost = cost_of(r, lits[i]);
		if (best == UINT32_MAX || cost < least) {
			least = cost;
			best = lits[i];
		}
	}
	return best;
}

static double weight_of(const struct hd_refining *r, uint32_t c)
{
	double w = 0;

	for (uint32_t i = 0; i < r->os.clauses[c]; i++)
		if (r->os.weight[r->os.clauses[c + 1 + i] >> 1] > w)
			w = r->os.weight[r->os.clauses[c + 1 + i] >> 1];
	return w;
}

/* What was met in conflicts lately first: that is where the difficulty is. */
static void heavy_first(struct hd_refining *r)
{
	double weights[HD_FAULTS];

	for (size_t i = 0; i < r->nfaults; i++) {
		uint32_t c = r->faults[i];
		double w = weight_of(r, c);
		size_t k = i;

		for (; k && weights[k - 1] < w; k--) {
			weights[k] = weights[k - 1];
			r->faults[k] = r->faults[k - 1];
		}
		weights[k] = w;
		r->faults[k] = c;
	}
}

/* Mend what goes wrong, one after the other, until that leads to a conflict. */
static bool mend(struct hd_refining *r)
{
	bool back = false;

	if (r->os.conflicts)
		heavy_first(r);
	for (size_t i = 0; i < r->nfaults && !back; i++) {
		uint32_t c = r->faults[i];

		if (hd_clause_holds(r, c))
			continue;
		if (!hd_os_force(&r->os, c))
			hd_os_decide(&r->os, cheapest(r, c));
		if (!hd_os_settle(&r->os, &back))
			return false;
	}
	return true;
}

/* --- the beginning --- */

static void fixed_edge(struct hd_refining *r, uint32_t from, uint32_t to)
{
	enum hd_order_result res = hd_order_graph_add(&r->os.graph, from, to, HD_NO_LABEL);

	if (res == HD_ORDER_CYCLE)
		r->os.contradiction = true;
	else if (res == HD_ORDER_NO_MEMORY)
		r->no_memory = true;
}

/* @node needs (@t, @position) of the run to have happened. */
static void needs(struct hd_refining *r, uint32_t node, uint32_t t, uint32_t position)
{
	const struct hd_scene *s = r->s;
	uint32_t other = hd_scene_node(s, t, position), l = s->thread_of[t];

	if (other == HD_NO_NODE && position < hd_position_at(s->p, t, s->first))
		return;
	if (other == HD_NO_NODE && s->open && l != HD_NOWHERE && s->goes_on[l])
		other = s->from[l + 1] - 1;
	hd_clause_literal(r, HD_NOT(node));
	if (other != HD_NO_NODE) {
		fixed_edge(r, other, node);
		hd_clause_literal(r, HD_YES(other));
	}
	hd_clause_make(r);
}

static void set_threads(struct hd_refining *r)
{
	const struct hd_scene *s = r->s;
	const struct hd_prepared *p = s->p;

	for (uint32_t l = 0; l < s->nthreads; l++)
		if (!s->base[l] && p->fork_thread[s->global[l]] != HD_NOWHERE)
			needs(r, s->from[l], p->fork_thread[s->global[l]],
			      p->fork_at[s->global[l]]);
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t t = s->op[i]->object;

		if (s->op[i]->kind != HD_STEP_JOIN)
			continue;
		if (p->fork_thread[t] != HD_NOWHERE)
			needs(r, i, p->fork_thread[t], p->fork_at[t]);
		if (hd_length(p, t))
			needs(r, i, t, hd_length(p, t) - 1);
	}
}

static void set_up(struct hd_refining *r)
{
	const struct hd_scene *s = r->s;
	struct hd_order_graph *g = &r->os.graph;

	for (uint32_t k = 0; k < s->n; k++) {
		g->node[k] = s->node_at[k];
		g->place[s->node_at[k]] = k;
		g->chained[k] = k != s->from[s->thread[k]];
	}
	for (uint32_t k = 0; k < s->nsections; k++)
		if (s->sections[k].from_start && s->sections[k].acquire != HD_NO_NODE) {
			r->next_held[k] = r->held_at[s->sections[k].thread];
			r->held_at[s->sections[k].thread] = k + 1;
		}
	set_threads(r);
	for (size_t i = 0; i < s->nmust; i++) {
		hd_clause_literal(r, HD_YES(s->must[i]));
		hd_clause_make(r);
	}
	for (size_t i = 1; i < s->norder; i++)
		fixed_edge(r, s->order[i - 1], s->order[i]);
}

static bool make(struct hd_refining *r, const struct hd_scene *s)
{
	*r = (struct hd_refining){ .s = s };
	r->choices = calloc(s->n + 1ul, sizeof(*r->choices));
	r->last = malloc((s->nlocations + 1ul) * sizeof(*r->last));
	r->holder = malloc((s->nlocks + 1ul) * sizeof(*r->holder));
	r->next_holder = malloc((s->nsections + 1ul) * sizeof(*r->next_holder));
	r->permits = malloc((s->nsemaphores + 1ul) * sizeof(*r->permits));
	r->held_at = calloc(s->nthreads + 1ul, sizeof(*r->held_at));
	r->next_held = malloc((s->nsections + 1ul) * sizeof(*r->next_held));
	return hd_os_init(&r->os, s->n) && r->choices && r->last && r->holder && r->next_holder &&
	       r->permits && r->held_at && r->next_held;
}

static void unmake(struct hd_refining *r)
{
	hd_os_free(&r->os);
	hd_triples_free(&r->ties);
	hd_triples_free(&r->clauses);
	free(r->choices);
	free(r->sources);
	free(r->literals);
	free(r->last);
	free(r->holder);
	free(r->next_holder);
	free(r->permits);
	free(r->held_at);
	free(r->next_held);
}

/* --- the end --- */

static enum hd_err take_steps(const struct hd_refining *r, struct hd_refined *out)
{
	out->steps = malloc((r->s->n + 1ul) * sizeof(*out->steps));
	if (!out->steps)
		return HD_ERR_NOMEM;
	for (uint32_t k = 0; k < r->s->n; k++) {
		uint32_t i = r->os.graph.node[k];

		if (hd_is_executed(r, i))
			out->steps[out->nsteps++] = r->s->op[i]->step;
	}
	return HD_OK;
}

static size_t bytes_learned(const struct hd_refining *r)
{
	return r->os.clauses_room * sizeof(*r->os.clauses) +
	       r->os.vars_room * (sizeof(*r->os.watches) * 2 + 32) +
	       (r->ties.room + r->clauses.room) * sizeof(*r->ties.entries);
}

static const char *over_budget(const struct hd_refining *r, const struct hd_budget *b)
{
	if (r->os.decisions + r->os.conflicts > b->states)
		return "states";
	if (bytes_learned(r) > b->bytes)
		return "memory";
	return hd_now() > b->deadline || hd_budget_over() ? "time" : NULL;
}

/* 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ... */
static uint64_t luby(uint64_t i)
{
	uint64_t k = 1;

	while ((1ull << k) - 1 < i + 1)
		k++;
	while ((1ull << k) - 1 != i + 1) {
		i -= (1ull << (k - 1)) - 1;
		for (k = 1; (1ull << k) - 1 < i + 1;)
			k++;
	}
	return 1ull << (k - 1);
}

static enum hd_err run(struct hd_refining *r, const struct hd_budget *budget,
		       struct hd_refined *out)
{
	uint64_t restarts = 0, until = RESTART;
	bool back = false;

	set_up(r);
	out->answer = HD_INFEASIBLE;
	while (hd_os_settle(&r->os, &back) && !r->no_memory) {
		out->why = over_budget(r, budget);
		if (out->why) {
			out->answer = HD_UNDECIDED;
			return HD_OK;
		}
		hd_faults_find(r);
		if (r->again)
			continue;
		if (!r->nfaults) {
			out->answer = HD_FEASIBLE;
			return take_steps(r, out);
		}
		if (!mend(r))
			break;
		if (r->os.conflicts >= until) {
			until = r->os.conflicts + RESTART * luby(++restarts);
			hd_os_restart(&r->os);
		}
	}
	return r->os.no_memory || r->no_memory ? HD_ERR_NOMEM : HD_OK;
}

enum hd_err hd_refine(const struct hd_scene *scene, const struct hd_budget *budget,
		      struct hd_refined *out)
{
	enum hd_err err = HD_ERR_NOMEM;
	struct hd_refining r;

	*out = (struct hd_refined){ .answer = HD_INFEASIBLE };
	if (scene->impossible)
		return HD_OK;
	if (make(&r, scene))
		err = run(&r, budget, out);
	out->states = r.os.decisions + r.os.conflicts;
	unmake(&r);
	return err;
}
