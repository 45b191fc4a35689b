#include "refine.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "order_solver.h"
#include "sources.h"
#include "triples.h"

#define BATCH	  16 /* faults that are looked at before the order is played again */
#define RESTART	  64 /* conflicts, times Luby's sequence */
#define LOCK_PAIR UINT32_MAX

double hd_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

struct choice {
	uint32_t first, n; /* sources */
	uint32_t clause;
	bool made;
};

struct refine {
	const struct hd_scene *s;
	struct hd_order_solver os;
	struct hd_triples ties, clauses;
	struct choice *choices; /* of each read */
	struct hd_source *sources;
	size_t nsources, sources_room;
	uint32_t *literals; /* of the clause in the making */
	size_t nliterals, literals_room;
	uint32_t faults[BATCH]; /* clauses that the order in hand breaks */
	size_t nfaults;
	bool again; /* something was decided by a new clause alone */
	bool no_memory;
	/* The state of the play: */
	uint32_t *last;	      /* node that wrote each location last */
	uint32_t *holder;     /* section + 1 that holds each lock, first of a list */
	uint32_t *next_holder; /* of each section */
	uint32_t *held_at;    /* of each thread, open scenes: section + 1 that it begins inside */
	uint32_t *next_held;
};

/* --- clauses --- */

static void literal(struct refine *r, uint32_t lit)
{
	if (r->nliterals == r->literals_room) {
		size_t room = r->literals_room ? 2 * r->literals_room : 64;
		uint32_t *more = realloc(r->literals, room * sizeof(*more));

		if (!more) {
			r->no_memory = true;
			return;
		}
		r->literals = more;
		r->literals_room = room;
	}
	r->literals[r->nliterals++] = lit;
}

static uint32_t add_clause(struct refine *r, const uint32_t *literals, size_t n)
{
	size_t level = r->os.nlevels, trail = r->os.ntrail;
	uint32_t c = hd_os_clause(&r->os, literals, (uint32_t)n);

	if (r->os.nlevels != level || r->os.ntrail != trail || r->os.nconflict ||
	    r->os.contradiction)
		r->again = true;
	return c;
}

/* The clause of the literals so far. */
static uint32_t clause(struct refine *r)
{
	uint32_t c = add_clause(r, r->literals, r->nliterals);

	r->nliterals = 0;
	return c;
}

/*
 * The tie "@from comes before @to", with @needs also "and is executed". UINT32_MAX: that
 * cannot be. Steps of one thread are in order anyway, so nobody asks for that of them.
 */
static uint32_t tie(struct refine *r, uint32_t from, uint32_t to, bool needs)
{
	uint32_t v = hd_triples_get(&r->ties, from, to, needs);

	if (v)
		return v;
	if (r->s->thread[from] == r->s->thread[to] && from >= to)
		return UINT32_MAX;
	v = hd_os_tie(&r->os, from, to);
	if (v == UINT32_MAX || !hd_triples_set(&r->ties, from, to, needs, v))
		r->no_memory = true;
	else if (needs)
		add_clause(r, (uint32_t[]){ HD_NOT(v), HD_YES(from) }, 2);
	return v;
}

static void literal_tie(struct refine *r, uint32_t from, uint32_t to, bool needs)
{
	uint32_t v = tie(r, from, to, needs);

	if (v != UINT32_MAX)
		literal(r, HD_YES(v));
}

static void fault(struct refine *r, uint32_t c)
{
	if (c && r->nfaults < BATCH)
		r->faults[r->nfaults++] = c;
}

/* --- reads --- */

static bool is_executed(const struct refine *r, uint32_t node)
{
	return r->os.value[node] > 0;
}

static bool is_before(const struct refine *r, uint32_t a, uint32_t b)
{
	return r->os.graph.place[a] < r->os.graph.place[b];
}

struct making {
	struct refine *r;
	uint32_t read;
};

static bool add_source(void *arg, struct hd_source source)
{
	struct making *m = arg;
	struct refine *r = m->r;

	if (r->nsources == r->sources_room) {
		size_t room = r->sources_room ? 2 * r->sources_room : 64;
		struct hd_source *more = realloc(r->sources, room * sizeof(*more));

		if (!more) {
			r->no_memory = true;
			return false;
		}
		r->sources = more;
		r->sources_room = room;
	}
	if (source.kind == HD_SOURCE_WRITE || source.kind == HD_SOURCE_BEHIND)
		source.tie = tie(r, source.node, m->read, true);
	else
		source.tie = hd_os_tie(&r->os, HD_NO_NODE,
				       source.kind == HD_SOURCE_START ? m->read : HD_NO_NODE);
	r->sources[r->nsources++] = source;
	return !r->no_memory && !r->os.no_memory;
}

/* A read that is executed (or passed by, if it may see anything) has a source. */
static struct choice *choice_of(struct refine *r, uint32_t read)
{
	struct choice *c = &r->choices[read];
	struct making m = { r, read };
	uint32_t t = r->s->thread[read], guard = read;

	if (c->made)
		return c;
	if (r->s->loose[t] == read)
		guard = r->s->passed[t];
	c->made = true;
	c->first = (uint32_t)r->nsources;
	hd_sources_each(r->s, read, add_source, &m);
	c->n = (uint32_t)r->nsources - c->first;
	literal(r, HD_NOT(guard));
	for (uint32_t i = 0; i < c->n; i++)
		literal(r, HD_YES(r->sources[c->first + i].tie));
	c->clause = clause(r);
	return c;
}

static const struct hd_source *chosen(const struct refine *r, const struct choice *c)
{
	for (uint32_t i = c->first; i < c->first + c->n; i++)
		if (r->os.value[r->sources[i].tie] > 0)
			return &r->sources[i];
	return NULL;
}

/* @other must not come between the source and the read. */
static void keep_out(struct refine *r, const struct hd_source *source, uint32_t read,
		     uint32_t other)
{
	uint32_t tie_var = source->tie, c = hd_triples_get(&r->clauses, tie_var, other, read);

	if (!c) {
		literal(r, HD_NOT(tie_var));
		literal(r, HD_NOT(other));
		if (source->kind == HD_SOURCE_WRITE)
			literal_tie(r, other, source->node, false);
		literal_tie(r, read, other, false);
		c = clause(r);
		if (c && !hd_triples_set(&r->clauses, tie_var, other, read, c))
			r->no_memory = true;
	}
	fault(r, c);
}

/* Threads that wrote before the window: all that they do in it comes after the read. */
static void keep_out_threads(struct refine *r, const struct hd_source *source, uint32_t read)
{
	const struct hd_scene *s = r->s;
	const struct hd_lanes *l = &s->p->writes;
	uint32_t x = s->location[s->object[read]];

	for (uint32_t k = l->lane_of[x]; k < l->lane_of[x + 1]; k++) {
		uint32_t t = s->thread_of[l->lanes[k].thread];

		if (t == HD_NOWHERE || t == s->thread[read] ||
		    l->at[l->lanes[k].first] >= s->base[t] ||
		    (source->kind == HD_SOURCE_OLDER && source->thread != t))
			continue;
		if (is_executed(r, s->from[t]) && is_before(r, s->from[t], read))
			keep_out(r, source, read, s->from[t]);
	}
}

static void keep_out_writes(struct refine *r, const struct hd_source *source, uint32_t read)
{
	const struct hd_scene *s = r->s;
	uint32_t x = s->object[read];

	for (uint32_t k = s->writes_from[x]; k < s->writes_from[x + 1]; k++) {
		uint32_t w = s->writes[k];

		if (s->op[w]->value == s->op[read]->value || !is_executed(r, w) ||
		    !is_before(r, w, read))
			continue;
		if (source->kind == HD_SOURCE_START || s->thread[w] == source->thread)
			keep_out(r, source, read, w);
	}
}

/* The read sees @write (HD_NO_NODE: what was there), and that is wrong. */
static void wrong_value(struct refine *r, uint32_t read, uint32_t write)
{
	const struct choice *c = choice_of(r, read);
	const struct hd_source *source = chosen(r, c);

	if (r->again)
		return; /* what was chosen may not be in the order yet */
	if (!source) {
		fault(r, c->clause);
		return;
	}
	switch (source->kind) {
	case HD_SOURCE_WRITE:
		keep_out(r, source, read, write);
		break;
	case HD_SOURCE_START:
		if (r->s->open && r->s->first)
			keep_out_threads(r, source, read);
		keep_out_writes(r, source, read);
		break;
	case HD_SOURCE_LAST:
		keep_out_writes(r, source, read);
		break;
	case HD_SOURCE_OLDER:
		keep_out_threads(r, source, read);
		break;
	default:
		break;
	}
}

/* Open scenes: nothing of the window was written before; may something outside be it? */
static bool seen_outside(struct refine *r, uint32_t read)
{
	const struct choice *c = choice_of(r, read);

	for (uint32_t i = c->first; i < c->first + c->n; i++)
		if (r->sources[i].kind != HD_SOURCE_WRITE && r->os.value[r->sources[i].tie] > 0)
			return false; /* to be looked at by its own rules */
	for (uint32_t i = c->first; i < c->first + c->n; i++)
		if (r->sources[i].kind == HD_SOURCE_LAST || r->sources[i].kind == HD_SOURCE_BESIDE)
			if (r->os.value[r->sources[i].tie] >= 0)
				return true;
	return false;
}

static void play_read(struct refine *r, uint32_t read)
{
	const struct hd_scene *s = r->s;
	uint32_t t = s->thread[read], write = r->last[s->object[read]];

	if (s->goal->ignore_values && !s->op[read]->firm)
		return;
	if (s->loose[t] == read && (s->passed[t] == HD_NO_NODE || !is_executed(r, s->passed[t])))
		return;
	if (write != HD_NO_NODE) {
		if (s->op[write]->value == s->op[read]->value)
			return;
	} else if (s->open && s->first) {
		if (seen_outside(r, read))
			return;
	} else if (s->value[s->object[read]] == s->op[read]->value) {
		return;
	}
	wrong_value(r, read, write);
}

/* --- locks --- */

/* Two sections that must not overlap do. */
static void overlap(struct refine *r, uint32_t a, uint32_t b)
{
	const struct hd_section *x = &r->s->sections[a < b ? a : b];
	const struct hd_section *y = &r->s->sections[a < b ? b : a];
	uint32_t c = hd_triples_get(&r->clauses, (uint32_t)(x - r->s->sections),
			    (uint32_t)(y - r->s->sections), LOCK_PAIR);

	if (!c) {
		if (x->acquire != HD_NO_NODE)
			literal(r, HD_NOT(x->acquire));
		if (y->acquire != HD_NO_NODE)
			literal(r, HD_NOT(y->acquire));
		if (x->release != HD_NO_NODE && y->acquire != HD_NO_NODE)
			literal_tie(r, x->release, y->acquire, true);
		if (y->release != HD_NO_NODE && x->acquire != HD_NO_NODE)
			literal_tie(r, y->release, x->acquire, true);
		c = clause(r);
		if (c && !hd_triples_set(&r->clauses, (uint32_t)(x - r->s->sections),
				   (uint32_t)(y - r->s->sections), LOCK_PAIR, c))
			r->no_memory = true;
	}
	fault(r, c);
}

static void enter(struct refine *r, uint32_t section)
{
	const struct hd_section *sections = r->s->sections, *x = &sections[section];

	for (uint32_t k = r->holder[x->lock]; k; k = r->next_holder[k - 1])
		if (sections[k - 1].thread != x->thread && !(sections[k - 1].shared && x->shared))
			overlap(r, k - 1, section);
	r->next_holder[section] = r->holder[x->lock];
	r->holder[x->lock] = section + 1;
}

static void leave(struct refine *r, uint32_t node)
{
	uint32_t *at = &r->holder[r->s->object[node]];

	while (*at && r->s->sections[*at - 1].thread != r->s->thread[node])
		at = &r->next_holder[*at - 1];
	if (*at)
		*at = r->next_holder[*at - 1];
}

/* --- the play --- */

static void begin(struct refine *r)
{
	memset(r->last, 0xff, (r->s->nlocations + 1ul) * sizeof(*r->last));
	memset(r->holder, 0, (r->s->nlocks + 1ul) * sizeof(*r->holder));
	r->nfaults = 0;
	r->again = false;
	for (uint32_t k = 0; k < r->s->nsections; k++)
		if (r->s->sections[k].acquire == HD_NO_NODE)
			enter(r, k);
}

/* Play what is executed in the order in hand, and note what goes wrong. */
static void play(struct refine *r)
{
	const struct hd_scene *s = r->s;

	begin(r);
	for (uint32_t k = 0; k < s->n && r->nfaults < BATCH && !r->again; k++) {
		uint32_t i = r->os.graph.node[k];

		if (!is_executed(r, i))
			continue;
		if (i == s->from[s->thread[i]])
			for (uint32_t h = r->held_at[s->thread[i]]; h; h = r->next_held[h - 1])
				enter(r, h - 1);
		switch (s->op[i]->kind) {
		case HD_STEP_READ:
			play_read(r, i);
			break;
		case HD_STEP_WRITE:
			r->last[s->object[i]] = i;
			break;
		case HD_STEP_ACQUIRE:
			enter(r, s->section_of[i]);
			break;
		case HD_STEP_RELEASE:
			leave(r, i);
			break;
		default:
			break;
		}
	}
}

/* --- decisions --- */

/* How many steps of its thread would have to be executed for @node to be. */
static uint32_t steps_to(const struct refine *r, uint32_t node)
{
	uint32_t low = r->s->from[r->s->thread[node]], high = node + 1;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (is_executed(r, mid))
			low = mid + 1;
		else
			high = mid;
	}
	return node + 1 - low;
}

/* How far @read would have to move to be before all that was written otherwise. */
static double way_to_start(const struct refine *r, uint32_t read)
{
	const struct hd_scene *s = r->s;
	uint32_t x = s->object[read], first = r->os.graph.place[read];

	for (uint32_t k = s->writes_from[x]; k < s->writes_from[x + 1]; k++) {
		uint32_t w = s->writes[k];

		if (s->op[w]->value != s->op[read]->value && is_executed(r, w) &&
		    r->os.graph.place[w] < first)
			first = r->os.graph.place[w];
	}
	return r->os.graph.place[read] - first;
}

static double cost_of(const struct refine *r, uint32_t lit)
{
	struct hd_tie t = r->os.ties[lit >> 1];
	double cost = 1;

	if (lit & 1 || t.to == HD_NO_NODE)
		return cost;
	if (t.from == HD_NO_NODE) {
		cost += way_to_start(r, t.to);
	} else {
		if (!is_executed(r, t.from))
			cost += 4.0 * steps_to(r, t.from);
		if (!is_before(r, t.from, t.to))
			cost += r->os.graph.place[t.from] - r->os.graph.place[t.to];
		if (r->s->op[t.from]->step < r->s->op[t.to]->step)
			cost *= 0.5;
	}
	return cost / (1 + r->os.weight[lit >> 1] / r->os.bump);
}

static uint32_t cheapest(const struct refine *r, uint32_t c)
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

static bool holds(const struct refine *r, uint32_t c)
{
	for (uint32_t i = 0; i < r->os.clauses[c]; i++)
		if (hd_os_value(&r->os, r->os.clauses[c + 1 + i]) > 0)
			return true;
	return false;
}

/* Mend what goes wrong, one after the other, until that leads to a conflict. */
static bool mend(struct refine *r)
{
	bool back = false;

	for (size_t i = 0; i < r->nfaults && !back; i++) {
		uint32_t c = r->faults[i];

		if (holds(r, c))
			continue;
		if (!hd_os_force(&r->os, c))
			hd_os_decide(&r->os, cheapest(r, c));
		if (!hd_os_settle(&r->os, &back))
			return false;
	}
	return true;
}

/* --- the beginning --- */

static void fixed_edge(struct refine *r, uint32_t from, uint32_t to)
{
	enum hd_order_result res = hd_order_graph_add(&r->os.graph, from, to, HD_NO_LABEL);

	if (res == HD_ORDER_CIRCLE)
		r->os.contradiction = true;
	else if (res == HD_ORDER_NO_MEMORY)
		r->no_memory = true;
}

/* @node needs (@t, @position) of the run to have happened. */
static void needs(struct refine *r, uint32_t node, uint32_t t, uint32_t position)
{
	const struct hd_scene *s = r->s;
	uint32_t other = hd_scene_node(s, t, position), l = s->thread_of[t];

	if (other == HD_NO_NODE && position < hd_position_at(s->p, t, s->first))
		return;
	if (other == HD_NO_NODE && s->open && l != HD_NOWHERE && s->goes_on[l])
		other = s->from[l + 1] - 1;
	literal(r, HD_NOT(node));
	if (other != HD_NO_NODE) {
		fixed_edge(r, other, node);
		literal(r, HD_YES(other));
	}
	clause(r);
}

static void set_threads(struct refine *r)
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

static void set_up(struct refine *r)
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
		literal(r, HD_YES(s->must[i]));
		clause(r);
	}
	for (size_t i = 1; i < s->norder; i++)
		fixed_edge(r, s->order[i - 1], s->order[i]);
}

static bool make(struct refine *r, const struct hd_scene *s)
{
	*r = (struct refine){ .s = s };
	r->choices = calloc(s->n + 1ul, sizeof(*r->choices));
	r->last = malloc((s->nlocations + 1ul) * sizeof(*r->last));
	r->holder = malloc((s->nlocks + 1ul) * sizeof(*r->holder));
	r->next_holder = malloc((s->nsections + 1ul) * sizeof(*r->next_holder));
	r->held_at = calloc(s->nthreads + 1ul, sizeof(*r->held_at));
	r->next_held = malloc((s->nsections + 1ul) * sizeof(*r->next_held));
	return hd_os_init(&r->os, s->n) && r->choices && r->last && r->holder && r->next_holder &&
	       r->held_at && r->next_held;
}

static void unmake(struct refine *r)
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
	free(r->held_at);
	free(r->next_held);
}

/* --- the end --- */

static enum hd_err take_steps(const struct refine *r, struct hd_refined *out)
{
	out->steps = malloc((r->s->n + 1ul) * sizeof(*out->steps));
	if (!out->steps)
		return HD_ERR_NOMEM;
	for (uint32_t k = 0; k < r->s->n; k++) {
		uint32_t i = r->os.graph.node[k];

		if (is_executed(r, i))
			out->steps[out->nsteps++] = r->s->op[i]->step;
	}
	return HD_OK;
}

static size_t bytes_learned(const struct refine *r)
{
	return r->os.clauses_room * sizeof(*r->os.clauses) +
	       r->os.vars_room * (sizeof(*r->os.watches) * 2 + 32) +
	       (r->ties.room + r->clauses.room) * sizeof(*r->ties.entries);
}

static const char *over_budget(const struct refine *r, const struct hd_budget *b)
{
	if (r->os.decisions + r->os.conflicts > b->states)
		return "states";
	if (bytes_learned(r) > b->bytes)
		return "memory";
	return hd_seconds() > b->deadline ? "time" : NULL;
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

static enum hd_err run(struct refine *r, const struct hd_budget *budget, struct hd_refined *out)
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
		play(r);
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
	struct refine r;

	*out = (struct hd_refined){ .answer = HD_INFEASIBLE };
	if (scene->impossible)
		return HD_OK;
	if (make(&r, scene))
		err = run(&r, budget, out);
	out->states = r.os.decisions + r.os.conflicts;
	unmake(&r);
	return err;
}
