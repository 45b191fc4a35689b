#include "predict/sat_encode.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* ---- the steps that can matter ------------------------------------------------------ */

/* Must @pos never happen, because of a step that must not? */
static bool is_blocked(const struct hd_sat_problem *p, uint32_t pos)
{
	const struct hd_step_goal *g = p->goal;
	size_t nopen = g->open_end && g->norder > 0;

	for (size_t i = 0; i < g->nnext + nopen; i++) {
		uint32_t stop = i < g->nnext ? g->next[i] : g->order[g->norder - 1];

		if (p->in->steps[stop].thread == p->in->steps[pos].thread &&
		    p->index.ordinal[stop] <= p->index.ordinal[pos])
			return true;
	}
	return false;
}

/* A release of what the thread holds from the start */
static bool ends_initial_hold(const struct hd_sat_problem *p, uint32_t pos)
{
	return p->in->steps[pos].kind == HD_STEP_RELEASE && !p->index.nested[pos] &&
	       p->index.match[pos] == HD_NO_STEP;
}

/*
 * What a step makes matter. A run of which all else is left out is still a run: reads keep
 * the writes that they see, and locks taken in it can be given back.
 */
struct matters {
	bool *is;
	uint32_t *queue;
	size_t nqueue;
};

static void mark(struct matters *m, uint32_t pos)
{
	if (pos == HD_NO_STEP || m->is[pos])
		return;
	m->is[pos] = true;
	m->queue[m->nqueue++] = pos;
}

static void mark_sources(const struct hd_sat_problem *p, struct matters *m, const struct hd_step *s)
{
	for (uint32_t i = 0; i < p->in->nsteps; i++) {
		const struct hd_step *o = &p->in->steps[i];

		if (o->object != s->object)
			continue;
		if (s->kind == HD_STEP_READ
			    ? o->kind == HD_STEP_WRITE && o->value == s->value && !is_blocked(p, i)
			    : ends_initial_hold(p, i))
			mark(m, i);
	}
}

/* Whatever may hold the lock when @s fails to take it. */
static bool hinders(const struct hd_sat_problem *p, uint32_t pos, const struct hd_step *s)
{
	const struct hd_step *o = &p->in->steps[pos];

	if (!hd_step_locks(o) || o->object != s->object || (s->shared && o->shared))
		return false;
	return (o->kind == HD_STEP_ACQUIRE && !p->index.nested[pos]) || ends_initial_hold(p, pos);
}

static void mark_others(const struct hd_sat_problem *p, struct matters *m, const struct hd_step *s)
{
	for (uint32_t i = 0; i < p->in->nsteps; i++) {
		const struct hd_step *o = &p->in->steps[i];

		if (s->kind == HD_STEP_FAIL ? hinders(p, i, s)
					    : o->kind == HD_STEP_POST && o->object == s->object)
			mark(m, i);
	}
}

static void mark_needs(const struct hd_sat_problem *p, struct matters *m, uint32_t pos)
{
	const struct hd_step *s = &p->in->steps[pos];

	mark(m, hd_step_enabler(&p->index, p->in, pos));
	switch (s->kind) {
	case HD_STEP_ACQUIRE:
		mark(m, p->index.match[pos]);
		mark_sources(p, m, s);
		break;
	case HD_STEP_READ:
		if (hd_step_sees(p->in, p->goal, pos))
			mark_sources(p, m, s);
		break;
	case HD_STEP_FAIL:
	case HD_STEP_DOWN:
		mark_others(p, m, s);
		break;
	case HD_STEP_JOIN:
		mark(m, hd_step_last(&p->index, s->object));
		mark(m, p->index.fork[s->object]);
		break;
	default:
		break;
	}
}

static bool is_in_goal(const struct hd_step_goal *g, uint32_t pos)
{
	for (size_t i = 0; i < g->norder; i++)
		if (g->order[i] == pos)
			return true;
	return false;
}

/* Blocks begin and end without any effect: they need no node. */
static bool needs_node(const struct hd_sat_problem *p, uint32_t pos)
{
	uint8_t kind = p->in->steps[pos].kind;

	return (kind != HD_STEP_BEGIN && kind != HD_STEP_END && kind != HD_STEP_OTHER) ||
	       is_in_goal(p->goal, pos);
}

static void find_nodes(struct hd_sat_problem *p, struct matters *m, size_t max_nodes)
{
	const struct hd_step_goal *g = p->goal;

	for (size_t i = 0; i < g->norder; i++)
		mark(m, g->order[i]);
	for (size_t i = 0; i < g->nnext; i++)
		mark(m, hd_step_enabler(&p->index, p->in, g->next[i]));
	for (size_t i = 0; i < m->nqueue && !p->too_large; i++) {
		p->nnodes += needs_node(p, m->queue[i]);
		p->too_large = p->nnodes > max_nodes;
		mark_needs(p, m, m->queue[i]);
	}
	p->nnodes = 0;
	for (uint32_t i = 0; i < p->in->nsteps && !p->too_large; i++) {
		if (!m->is[i] || !needs_node(p, i))
			continue;
		p->node_of[i] = (uint32_t)p->nnodes;
		p->step_of[p->nnodes++] = i;
	}
}

/* ---- clauses ------------------------------------------------------------------------ */

/* The literal of variable 1 is true; constants vanish from clauses. */
#define YES 1
#define NO  (-1)

static int new_variable(struct hd_sat_problem *p)
{
	return ++p->nvars;
}

static bool push(struct hd_sat_problem *p, int literal)
{
	if (!HD_ROOM(p->clauses, p->room, p->nliterals + 1)) {
		p->out_of_memory = true;
		return false;
	}
	p->clauses[p->nliterals++] = literal;
	return true;
}

/* Add the disjunction of @n literals. */
static void add_clause(struct hd_sat_problem *p, const int *literals, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (literals[i] == YES)
			return;
	for (size_t i = 0; i < n; i++)
		if (literals[i] != NO && !push(p, literals[i]))
			return;
	push(p, 0);
}

#define CLAUSE(p, ...)                                                                             \
	add_clause(p, (const int[]){ __VA_ARGS__ }, sizeof((int[]){ __VA_ARGS__ }) / sizeof(int))

static int before(const struct hd_sat_problem *p, size_t a, size_t b)
{
	return p->before[a * p->nnodes + b];
}

static const struct hd_step *step_of(const struct hd_sat_problem *p, size_t node)
{
	return &p->in->steps[p->step_of[node]];
}

/* The last node of @pos's thread before @pos, or HD_NO_STEP. */
static uint32_t node_before(const struct hd_sat_problem *p, uint32_t pos)
{
	uint32_t ordinal = p->index.ordinal[pos];

	while (--ordinal > 0) {
		uint32_t prev = hd_step_at(&p->index, p->in->steps[pos].thread, ordinal);

		if (p->node_of[prev] != HD_NO_STEP)
			return p->node_of[prev];
	}
	return HD_NO_STEP;
}

/* @node is executed, and its thread goes on. @unless: a literal that excuses it */
static void require_passed(struct hd_sat_problem *p, int unless, size_t node)
{
	CLAUSE(p, unless, p->executed[node]);
	if (p->differs[node])
		CLAUSE(p, unless, -p->differs[node]);
}

/* @pos is the next of its thread: what comes before it is done. */
static void require_next(struct hd_sat_problem *p, int unless, uint32_t pos)
{
	uint32_t prev = node_before(p, pos), fork = p->index.fork[p->in->steps[pos].thread];

	if (prev == HD_NO_STEP && fork != HD_NO_STEP)
		prev = p->node_of[fork];
	if (prev != HD_NO_STEP)
		require_passed(p, unless, prev);
}

static bool same_thread(const struct hd_sat_problem *p, size_t a, size_t b)
{
	return step_of(p, a)->thread == step_of(p, b)->thread;
}

static void make_order_variables(struct hd_sat_problem *p)
{
	size_t n = p->nnodes;

	for (size_t a = 0; a < n; a++) {
		for (size_t b = a + 1; b < n; b++) {
			int v = same_thread(p, a, b) ? YES : new_variable(p);

			p->before[a * n + b] = v;
			p->before[b * n + a] = -v;
		}
	}
}

/*
 * No cycle of three: with all pairs ordered, that is a total order. Where two are of one
 * thread it is enough to go from one to the next: what is before one is before the next.
 */
static void add_transitivity(struct hd_sat_problem *p)
{
	for (size_t b = 0; b < p->nnodes; b++) {
		uint32_t prev = node_before(p, p->step_of[b]);

		for (size_t a = 0; prev != HD_NO_STEP && a < p->nnodes; a++)
			if (!same_thread(p, a, b))
				CLAUSE(p, -before(p, a, prev), before(p, a, b));
	}
	for (size_t a = 0; a < p->nnodes; a++)
		for (size_t b = a + 1; b < p->nnodes; b++)
			for (size_t c = b + 1; c < p->nnodes; c++) {
				if (same_thread(p, a, b) || same_thread(p, b, c) ||
				    same_thread(p, a, c))
					continue;
				CLAUSE(p, -before(p, a, b), -before(p, b, c), -before(p, c, a));
				CLAUSE(p, -before(p, b, a), -before(p, c, b), -before(p, a, c));
			}
}

/* The last node of @thread, or of its fork if it has none; HD_NO_STEP if there is neither. */
static uint32_t last_node(const struct hd_sat_problem *p, uint32_t thread)
{
	uint32_t last = hd_step_last(&p->index, thread), node = HD_NO_STEP;

	if (last != HD_NO_STEP)
		node = p->node_of[last] != HD_NO_STEP ? p->node_of[last] : node_before(p, last);
	if (node == HD_NO_STEP && p->index.fork[thread] != HD_NO_STEP)
		node = p->node_of[p->index.fork[thread]];
	return node;
}

static void add_join(struct hd_sat_problem *p, size_t join, uint32_t thread)
{
	uint32_t last = hd_step_last(&p->index, thread), node = last_node(p, thread);

	if (last != HD_NO_STEP && is_blocked(p, last))
		CLAUSE(p, -p->executed[join]);
	if (node != HD_NO_STEP) {
		require_passed(p, -p->executed[join], node);
		CLAUSE(p, before(p, node, join));
	}
}

/*
 * Program order, forks and joins. The order holds for steps that are not executed too: it
 * is that of the observed run.
 */
static void add_threads(struct hd_sat_problem *p)
{
	for (size_t a = 0; a < p->nnodes; a++) {
		const struct hd_step *s = step_of(p, a);
		uint32_t fork = p->index.fork[s->thread];

		require_next(p, -p->executed[a], p->step_of[a]);
		if (is_blocked(p, p->step_of[a]))
			CLAUSE(p, -p->executed[a]);
		if (fork != HD_NO_STEP)
			CLAUSE(p, before(p, p->node_of[fork], a));
		if (s->kind == HD_STEP_JOIN)
			add_join(p, a, s->object);
	}
}

/*
 * If @coupled, @read sees @write (HD_NO_STEP: the initial value): no write of another value
 * comes between them.
 */
static void add_coupling(struct hd_sat_problem *p, int coupled, size_t read, uint32_t write)
{
	const struct hd_step *r = step_of(p, read);

	if (write != HD_NO_STEP) {
		CLAUSE(p, -coupled, p->executed[write]);
		CLAUSE(p, -coupled, before(p, write, read));
	}
	for (size_t o = 0; o < p->nnodes; o++) {
		const struct hd_step *s = step_of(p, o);
		int earlier;

		if (s->kind != HD_STEP_WRITE || s->object != r->object || s->value == r->value)
			continue;
		earlier = write == HD_NO_STEP ? NO : before(p, o, write);
		CLAUSE(p, -coupled, -p->executed[o], earlier, before(p, read, o));
	}
}

static void add_read(struct hd_sat_problem *p, size_t read)
{
	const struct hd_step *r = step_of(p, read);
	int *choice = malloc((p->nnodes + 3) * sizeof *choice);
	size_t n = 0;

	if (!choice) {
		p->out_of_memory = true;
		return;
	}
	choice[n++] = -p->executed[read];
	if (p->differs[read])
		choice[n++] = p->differs[read];
	if (hd_initial_value(p->in, r->object) == r->value) {
		choice[n] = new_variable(p);
		add_coupling(p, choice[n++], read, HD_NO_STEP);
	}
	for (size_t w = 0; w < p->nnodes; w++) {
		const struct hd_step *s = step_of(p, w);

		if (s->kind != HD_STEP_WRITE || s->object != r->object || s->value != r->value)
			continue;
		choice[n] = new_variable(p);
		add_coupling(p, choice[n++], read, (uint32_t)w);
	}
	add_clause(p, choice, n);
	free(choice);
}

/*
 * The literal "@section was over before @other started". Sections go by their acquire, or by
 * their release if they are held from the start.
 */
static int over_before(struct hd_sat_problem *p, size_t section, size_t other)
{
	uint32_t end = p->step_of[section];
	int over;

	if (step_of(p, section)->kind == HD_STEP_ACQUIRE)
		end = p->index.match[end];
	if (end == HD_NO_STEP || step_of(p, other)->kind == HD_STEP_RELEASE)
		return NO;
	over = new_variable(p);
	CLAUSE(p, -over, p->executed[p->node_of[end]]);
	CLAUSE(p, -over, before(p, p->node_of[end], other));
	return over;
}

/* Sections @a and @b exclude each other. */
static void add_exclusion(struct hd_sat_problem *p, size_t a, size_t b)
{
	int a_unused = step_of(p, a)->kind == HD_STEP_ACQUIRE ? -p->executed[a] : NO;
	int b_unused = step_of(p, b)->kind == HD_STEP_ACQUIRE ? -p->executed[b] : NO;

	CLAUSE(p, a_unused, b_unused, over_before(p, a, b), over_before(p, b, a));
}

static bool starts_section(const struct hd_sat_problem *p, size_t node)
{
	uint32_t pos = p->step_of[node];

	return (p->in->steps[pos].kind == HD_STEP_ACQUIRE && !p->index.nested[pos]) ||
	       ends_initial_hold(p, pos);
}

static void add_locks(struct hd_sat_problem *p)
{
	for (size_t a = 0; a < p->nnodes; a++) {
		const struct hd_step *s = step_of(p, a);

		if (!starts_section(p, a))
			continue;
		for (size_t b = a + 1; b < p->nnodes; b++) {
			const struct hd_step *o = step_of(p, b);

			if (starts_section(p, b) && s->object == o->object &&
			    s->thread != o->thread && !(s->shared && o->shared))
				add_exclusion(p, a, b);
		}
	}
}

/* A try that fails is inside a section, of its own thread or of another. */
static void add_fail(struct hd_sat_problem *p, size_t node)
{
	int *choice = malloc((p->nnodes + 2) * sizeof *choice);
	size_t n = 0;

	p->out_of_memory |= !choice;
	for (size_t a = 0; choice && a < p->nnodes; a++) {
		bool takes = step_of(p, a)->kind == HD_STEP_ACQUIRE;
		uint32_t end = takes ? p->index.match[p->step_of[a]] : p->step_of[a];

		if (!hinders(p, p->step_of[a], step_of(p, node)))
			continue;
		choice[n] = new_variable(p);
		if (takes) {
			CLAUSE(p, -choice[n], p->executed[a]);
			CLAUSE(p, -choice[n], before(p, a, node));
		}
		if (end != HD_NO_STEP)
			CLAUSE(p, -choice[n], -p->executed[p->node_of[end]],
			       before(p, node, p->node_of[end]));
		n++;
	}
	if (choice) {
		choice[n++] = -p->executed[node];
		add_clause(p, choice, n);
	}
	free(choice);
}

/* Two that take a permit do not take the same. */
static void add_once(struct hd_sat_problem *p, const int *taken, size_t ndowns, size_t nposts)
{
	for (size_t k = 0; k < nposts; k++)
		for (size_t a = 0; a < ndowns; a++)
			for (size_t b = a + 1; b < ndowns; b++)
				CLAUSE(p, -taken[a * nposts + k], -taken[b * nposts + k]);
}

/* Every one that takes a permit takes one that was there at the start or posted before it. */
static void add_semaphore(struct hd_sat_problem *p, uint32_t semaphore)
{
	size_t start = p->in->permits ? p->in->permits[semaphore] : 0, nposts, ndowns = 0, d = 0;
	int *taken;

	for (size_t i = 0; i < p->nnodes; i++)
		ndowns += step_of(p, i)->kind == HD_STEP_DOWN && step_of(p, i)->object == semaphore;
	start = start < ndowns ? start : ndowns;
	nposts = start;
	for (size_t i = 0; i < p->nnodes; i++)
		nposts += step_of(p, i)->kind == HD_STEP_POST && step_of(p, i)->object == semaphore;
	taken = malloc((ndowns * nposts + nposts + 2) * sizeof *taken);
	if (!taken) {
		p->out_of_memory = true;
		return;
	}
	for (size_t i = 0; i < p->nnodes; i++) {
		size_t k = start;

		if (step_of(p, i)->kind != HD_STEP_DOWN || step_of(p, i)->object != semaphore)
			continue;
		for (size_t j = 0; j < nposts; j++)
			taken[d * nposts + j] = new_variable(p);
		for (size_t j = 0; j < p->nnodes; j++) {
			if (step_of(p, j)->kind != HD_STEP_POST ||
			    step_of(p, j)->object != semaphore)
				continue;
			CLAUSE(p, -taken[d * nposts + k], p->executed[j]);
			CLAUSE(p, -taken[d * nposts + k++], before(p, j, i));
		}
		/* The clause borrows the place of the next row. */
		taken[(d + 1) * nposts] = -p->executed[i];
		add_clause(p, taken + d++ * nposts, nposts + 1);
	}
	add_once(p, taken, ndowns, nposts);
	free(taken);
}

static void add_goal(struct hd_sat_problem *p)
{
	const struct hd_step_goal *g = p->goal;
	size_t must = g->norder - (g->open_end && g->norder > 0);

	for (size_t i = 0; i < must; i++) {
		uint32_t node = p->node_of[g->order[i]];

		CLAUSE(p, p->executed[node]);
		if (i > 0 && g->order[i] == g->order[i - 1])
			add_clause(p, NULL, 0);
		else if (i > 0)
			CLAUSE(p, before(p, p->node_of[g->order[i - 1]], node));
	}
	for (size_t i = 0; i < g->nnext; i++) {
		require_next(p, NO, g->next[i]);
		/* Two steps of one thread cannot both be next. */
		for (size_t k = 0; k < i; k++)
			if (g->next[k] != g->next[i] &&
			    p->in->steps[g->next[k]].thread == p->in->steps[g->next[i]].thread)
				add_clause(p, NULL, 0);
	}
}

static void add_all_clauses(struct hd_sat_problem *p)
{
	p->nvars = YES;
	for (size_t i = 0; i < p->nnodes; i++) {
		p->executed[i] = new_variable(p);
		if (hd_step_is_free(p->in, p->goal, p->step_of[i]))
			p->differs[i] = new_variable(p);
	}
	make_order_variables(p);
	add_goal(p);
	add_threads(p);
	add_locks(p);
	for (size_t i = 0; i < p->nnodes; i++)
		if (hd_step_sees(p->in, p->goal, p->step_of[i]))
			add_read(p, i);
	for (size_t i = 0; i < p->nnodes; i++)
		if (step_of(p, i)->kind == HD_STEP_FAIL)
			add_fail(p, i);
	for (uint32_t x = 0; x < p->in->nsemaphores; x++)
		add_semaphore(p, x);
	add_transitivity(p);
}

enum hd_err hd_sat_encode(struct hd_sat_problem *p, const struct hd_instance *in,
			  const struct hd_step_goal *goal, size_t max_nodes, struct hd_errbuf *eb)
{
	struct matters m = { 0 };
	enum hd_err err;

	*p = (struct hd_sat_problem){ .in = in, .goal = goal };
	err = hd_step_index_make(&p->index, in, goal, eb);
	if (err)
		return err;
	m.is = calloc(in->nsteps + 1, sizeof *m.is);
	m.queue = malloc((in->nsteps + 1) * sizeof *m.queue);
	p->step_of = malloc((in->nsteps + 1) * sizeof *p->step_of);
	p->node_of = malloc((in->nsteps + 1) * sizeof *p->node_of);
	p->out_of_memory = !m.is || !m.queue || !p->step_of || !p->node_of;
	if (!p->out_of_memory) {
		memset(p->node_of, 0xff, (in->nsteps + 1) * sizeof *p->node_of);
		find_nodes(p, &m, max_nodes);
	}
	if (!p->out_of_memory && !p->too_large) {
		p->executed = calloc(p->nnodes + 1, sizeof *p->executed);
		p->differs = calloc(p->nnodes + 1, sizeof *p->differs);
		p->before = calloc(p->nnodes * p->nnodes + 1, sizeof *p->before);
		p->out_of_memory = !p->executed || !p->differs || !p->before;
		if (!p->out_of_memory)
			add_all_clauses(p);
	}
	free(m.is);
	free(m.queue);
	if (p->out_of_memory)
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory for the clauses of %zu steps",
			       p->nnodes);
	return HD_OK;
}

void hd_sat_problem_free(struct hd_sat_problem *p)
{
	hd_step_index_free(&p->index);
	free(p->step_of);
	free(p->node_of);
	free(p->executed);
	free(p->differs);
	free(p->before);
	free(p->clauses);
	*p = (struct hd_sat_problem){ 0 };
}
