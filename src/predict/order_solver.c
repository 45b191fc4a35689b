#include "order_solver.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* Reasons: 0 for a decision, a clause, or with this bit the literal that implied it. */
#define BY_LITERAL 0x80000000u

#define HEAVY 1e100

static bool grow_vars(struct hd_order_solver *s, size_t need)
{
	size_t was = s->vars_room, room, r;

	if (need <= was)
		return true;
	room = hd_array_more(was, need, 2 * sizeof(*s->watches), SIZE_MAX);
#define GROW(field, factor) (r = (factor)*was, HD_ROOM_ZEROED(s->field, r, (factor)*room))
	if (!room || !GROW(value, 1) || !GROW(level, 1) || !GROW(reason, 1) || !GROW(weight, 1) ||
	    !GROW(met, 1) || !GROW(ties, 1) || !GROW(trail, 1) || !GROW(watches, 2))
		return false;
#undef GROW
	s->vars_room = room;
	return true;
}

bool hd_os_init(struct hd_order_solver *s, uint32_t nodes)
{
	*s = (struct hd_order_solver){ .bump = 1, .nclauses = 1 };
	if (!hd_order_graph_init(&s->graph, nodes) || !grow_vars(s, (size_t)nodes + 1))
		return false;
	s->nvars = nodes;
	for (uint32_t i = 0; i < nodes; i++)
		s->ties[i] = (struct hd_tie){ HD_NO_NODE, HD_NO_NODE };
	return true;
}

void hd_os_free(struct hd_order_solver *s)
{
	for (size_t i = 0; s->watches && i < 2 * (size_t)s->nvars; i++)
		free(s->watches[i].list);
	hd_order_graph_free(&s->graph);
	free(s->value);
	free(s->level);
	free(s->reason);
	free(s->weight);
	free(s->met);
	free(s->ties);
	free(s->watches);
	free(s->trail);
	free(s->level_start);
	free(s->level_edges);
	free(s->clauses);
	free(s->conflict);
	free(s->learned);
	*s = (struct hd_order_solver){ 0 };
}

uint32_t hd_os_tie(struct hd_order_solver *s, uint32_t from, uint32_t to)
{
	if (!grow_vars(s, (size_t)s->nvars + 1)) {
		s->no_memory = true;
		return UINT32_MAX;
	}
	s->ties[s->nvars] = (struct hd_tie){ from, to };
	return s->nvars++;
}

/* --- levels --- */

static void assign(struct hd_order_solver *s, uint32_t literal, uint32_t reason)
{
	uint32_t v = literal >> 1;

	s->value[v] = literal & 1 ? -1 : 1;
	s->level[v] = (uint32_t)s->nlevels;
	s->reason[v] = reason;
	s->trail[s->ntrail++] = literal;
}

static void go_back(struct hd_order_solver *s, size_t level)
{
	if (level >= s->nlevels)
		return;
	while (s->ntrail > s->level_start[level])
		s->value[s->trail[--s->ntrail] >> 1] = 0;
	hd_order_graph_drop(&s->graph, s->level_edges[level]);
	s->nlevels = level;
	s->next = s->ntrail;
}

void hd_os_restart(struct hd_order_solver *s)
{
	go_back(s, 0);
}

void hd_os_decide(struct hd_order_solver *s, uint32_t literal)
{
	size_t room = s->levels_room;

	if (!HD_ROOM(s->level_start, room, s->nlevels + 1) ||
	    !HD_ROOM(s->level_edges, s->levels_room, s->nlevels + 1)) {
		s->no_memory = true;
		return;
	}
	s->level_start[s->nlevels] = s->ntrail;
	s->level_edges[s->nlevels++] = s->graph.nedges;
	s->decisions++;
	assign(s, literal, 0);
}

/* --- conflicts --- */

static void add_conflict(struct hd_order_solver *s, uint32_t literal)
{
	if (!HD_ROOM(s->conflict, s->conflict_room, s->nconflict + 1))
		s->no_memory = true;
	else
		s->conflict[s->nconflict++] = literal;
}

static void conflict_is(struct hd_order_solver *s, const uint32_t *literals, size_t n)
{
	s->nconflict = 0;
	for (size_t i = 0; i < n; i++)
		add_conflict(s, literals[i]);
}

/* --- clauses --- */

static uint32_t *literals_of(const struct hd_order_solver *s, uint32_t clause, uint32_t *n)
{
	*n = s->clauses[clause];
	return s->clauses + clause + 1;
}

static void watch(struct hd_order_solver *s, uint32_t literal, uint32_t clause, uint32_t other)
{
	struct hd_watches *w = &s->watches[literal];

	if (!HD_ROOM(w->list, w->room, (size_t)w->n + 1)) {
		s->no_memory = true;
		return;
	}
	w->list[w->n++] = (struct hd_watch){ clause, other };
}

/* Not false before false, and false since lately before false since long. */
static uint64_t watch_rank(const struct hd_order_solver *s, uint32_t literal)
{
	int v = hd_os_value(s, literal);

	if (v < 0)
		return s->level[literal >> 1];
	return UINT64_MAX - (v == 0);
}

static uint32_t store_clause(struct hd_order_solver *s, const uint32_t *literals, uint32_t n)
{
	uint32_t c = (uint32_t)s->nclauses, *at;

	if (s->nclauses + n + 1 >= BY_LITERAL ||
	    !HD_ROOM(s->clauses, s->clauses_room, s->nclauses + n + 1)) {
		s->no_memory = true;
		return HD_NO_CLAUSE;
	}
	s->clauses[c] = n;
	at = s->clauses + c + 1;
	memcpy(at, literals, n * sizeof(*at));
	s->nclauses += n + 1;
	for (uint32_t k = 0; k < 2; k++) {
		uint32_t best = k, t = at[k];

		for (uint32_t i = k + 1; i < n; i++)
			if (watch_rank(s, at[i]) > watch_rank(s, at[best]))
				best = i;
		at[k] = at[best];
		at[best] = t;
	}
	watch(s, at[0], c, at[1]);
	watch(s, at[1], c, at[0]);
	return c;
}

/* What is false for ever is left out; all is well with what is true for ever. */
static uint32_t shorten(const struct hd_order_solver *s, const uint32_t *literals, uint32_t n,
			uint32_t *out)
{
	uint32_t m = 0;

	for (uint32_t i = 0; i < n; i++) {
		int v = hd_os_value(s, literals[i]);

		if (v && s->level[literals[i] >> 1] == 0) {
			if (v > 0)
				return UINT32_MAX;
			continue;
		}
		out[m++] = literals[i];
	}
	return m;
}

bool hd_os_force(struct hd_order_solver *s, uint32_t clause)
{
	uint32_t n, *lits = literals_of(s, clause, &n), open = UINT32_MAX, nopen = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (hd_os_value(s, lits[i]) >= 0) {
			open = lits[i];
			nopen++;
		}
	}
	if (nopen > 1)
		return false;
	if (nopen == 0)
		conflict_is(s, lits, n);
	else if (hd_os_value(s, open) == 0)
		assign(s, open, clause);
	return true;
}

uint32_t hd_os_clause(struct hd_order_solver *s, const uint32_t *literals, uint32_t n)
{
	uint32_t c = HD_NO_CLAUSE, m;

	if (!HD_ROOM(s->learned, s->learned_room, (size_t)n + 1)) {
		s->no_memory = true;
		return HD_NO_CLAUSE;
	}
	m = shorten(s, literals, n, s->learned);
	if (m == UINT32_MAX)
		return HD_NO_CLAUSE;
	if (m == 0) {
		s->contradiction = true;
	} else if (m == 1) {
		go_back(s, 0);
		s->nconflict = 0;
		assign(s, s->learned[0], 0);
	} else {
		c = store_clause(s, s->learned, m);
		if (c && !s->nconflict)
			hd_os_force(s, c);
	}
	return c;
}

/* --- consequences --- */

/* @literal follows from @reason; false: the opposite holds already. */
static bool follows(struct hd_order_solver *s, uint32_t literal, uint32_t by)
{
	int v = hd_os_value(s, literal);

	if (v == 0)
		assign(s, literal, BY_LITERAL | by);
	else if (v < 0)
		conflict_is(s, (uint32_t[]){ literal, by ^ 1 }, 2);
	return v >= 0;
}

/* Steps are executed one after the other. */
static bool along_thread(struct hd_order_solver *s, uint32_t literal)
{
	const struct hd_order_graph *g = &s->graph;
	uint32_t v = literal >> 1;

	if (!(literal & 1))
		return !g->chained[v] || follows(s, HD_YES(v - 1), literal);
	return v + 1 >= g->n || !g->chained[v + 1] || follows(s, HD_NOT(v + 1), literal);
}

static bool tie(struct hd_order_solver *s, uint32_t var)
{
	enum hd_order_result r;

	if (s->ties[var].from == HD_NO_NODE)
		return true;
	r = hd_order_graph_add(&s->graph, s->ties[var].from, s->ties[var].to, var);
	if (r == HD_ORDER_DONE)
		return true;
	s->nconflict = 0;
	if (r == HD_ORDER_NO_MEMORY)
		s->no_memory = true;
	for (size_t i = 0; r == HD_ORDER_CYCLE && i < s->graph.ncycle; i++)
		add_conflict(s, HD_NOT(s->graph.cycle[i]));
	add_conflict(s, HD_NOT(var));
	return false;
}

/* @literal has become false. */
static bool look_at_clauses(struct hd_order_solver *s, uint32_t literal)
{
	struct hd_watches *w = &s->watches[literal];
	uint32_t kept = 0, i = 0;
	bool ok = true;

	while (i < w->n && ok) {
		struct hd_watch this = w->list[i++];
		uint32_t n, *lits, k = 2;

		if (hd_os_value(s, this.other) > 0) {
			w->list[kept++] = this;
			continue;
		}
		lits = literals_of(s, this.clause, &n);
		if (lits[0] == literal) {
			lits[0] = lits[1];
			lits[1] = literal;
		}
		this.other = lits[0];
		while (hd_os_value(s, lits[0]) <= 0 && k < n && hd_os_value(s, lits[k]) < 0)
			k++;
		if (hd_os_value(s, lits[0]) <= 0 && k < n) {
			lits[1] = lits[k];
			lits[k] = literal;
			watch(s, lits[1], this.clause, lits[0]);
			w = &s->watches[literal];
			continue;
		}
		w->list[kept++] = this;
		if (hd_os_value(s, lits[0]) == 0) {
			assign(s, lits[0], this.clause);
		} else if (hd_os_value(s, lits[0]) < 0) {
			conflict_is(s, lits, n);
			ok = false;
		}
	}
	while (i < w->n)
		w->list[kept++] = w->list[i++];
	w->n = kept;
	return ok;
}

static bool propagate(struct hd_order_solver *s)
{
	while (s->next < s->ntrail && !s->no_memory) {
		uint32_t literal = s->trail[s->next++], v = literal >> 1;

		if (v < s->graph.n ? !along_thread(s, literal) : !(literal & 1) && !tie(s, v))
			return false;
		if (!look_at_clauses(s, literal ^ 1))
			return false;
	}
	return true;
}

/* --- learning --- */

static void weigh(struct hd_order_solver *s, uint32_t var)
{
	s->weight[var] += s->bump;
	if (s->weight[var] < HEAVY)
		return;
	for (uint32_t v = 0; v < s->nvars; v++)
		s->weight[v] /= HEAVY;
	s->bump /= HEAVY;
}

static size_t highest_level(const struct hd_order_solver *s)
{
	size_t top = 0;

	for (size_t i = 0; i < s->nconflict; i++)
		if (s->level[s->conflict[i] >> 1] > top)
			top = s->level[s->conflict[i] >> 1];
	return top;
}

struct analysis {
	size_t nlearned, open; /* open: met literals of the last level not resolved yet */
};

static void meet(struct hd_order_solver *s, uint32_t literal, struct analysis *a)
{
	uint32_t v = literal >> 1;

	if (s->met[v] || s->level[v] == 0)
		return;
	s->met[v] = true;
	weigh(s, v);
	if (s->level[v] == s->nlevels) {
		a->open++;
		return;
	}
	if (!HD_ROOM(s->learned, s->learned_room, a->nlearned + 1))
		s->no_memory = true;
	else
		s->learned[a->nlearned++] = literal;
}

/* The other literals of the reason of @literal, which is true. */
static void meet_reason(struct hd_order_solver *s, uint32_t literal, struct analysis *a)
{
	uint32_t reason = s->reason[literal >> 1], n, *lits;

	if (reason & BY_LITERAL) {
		meet(s, (reason & ~BY_LITERAL) ^ 1, a);
		return;
	}
	lits = literals_of(s, reason, &n);
	for (uint32_t i = 0; i < n; i++)
		if (lits[i] != literal)
			meet(s, lits[i], a);
}

/* Is @literal, which is false, false because of others that are in the clause anyway? */
static bool is_implied(const struct hd_order_solver *s, uint32_t literal)
{
	uint32_t reason = s->reason[literal >> 1], n, *lits;

	if (!reason)
		return false;
	if (reason & BY_LITERAL) {
		uint32_t v = (reason & ~BY_LITERAL) >> 1;

		return s->met[v] || s->level[v] == 0;
	}
	lits = literals_of(s, reason, &n);
	for (uint32_t i = 0; i < n; i++)
		if (lits[i] != (literal ^ 1) && !s->met[lits[i] >> 1] && s->level[lits[i] >> 1] > 0)
			return false;
	return true;
}

/* The clause from the last point through which all of the conflict came: learned[0] negated. */
static size_t first_point(struct hd_order_solver *s)
{
	struct analysis a = { .nlearned = 1 };
	size_t at = s->ntrail;

	if (!HD_ROOM(s->learned, s->learned_room, 1)) {
		s->no_memory = true;
		return 0;
	}
	for (size_t i = 0; i < s->nconflict; i++)
		meet(s, s->conflict[i], &a);
	for (;;) {
		while (!s->met[s->trail[--at] >> 1] || s->level[s->trail[at] >> 1] != s->nlevels)
			;
		if (a.open == 1)
			break;
		meet_reason(s, s->trail[at], &a);
		s->met[s->trail[at] >> 1] = false;
		a.open--;
	}
	s->learned[0] = s->trail[at] ^ 1;
	s->nconflict = 0;
	for (size_t i = 1; i < a.nlearned; i++)
		if (!is_implied(s, s->learned[i]))
			add_conflict(s, s->learned[i]);
	for (size_t i = 0; i < a.nlearned; i++)
		s->met[s->learned[i] >> 1] = false;
	memcpy(s->learned + 1, s->conflict, s->nconflict * sizeof(*s->learned));
	return s->nconflict + 1;
}

static void learn(struct hd_order_solver *s)
{
	size_t top = highest_level(s), n, level = 0;
	uint32_t c;

	s->conflicts++;
	if (top == 0) {
		s->contradiction = true;
		return;
	}
	go_back(s, top);
	n = first_point(s);
	s->nconflict = 0;
	if (s->no_memory)
		return;
	for (size_t i = 1; i < n; i++)
		if (s->level[s->learned[i] >> 1] > level)
			level = s->level[s->learned[i] >> 1];
	go_back(s, level);
	s->bump /= 0.95;
	if (n == 1) {
		assign(s, s->learned[0], 0);
		return;
	}
	c = store_clause(s, s->learned, (uint32_t)n);
	if (c)
		assign(s, s->learned[0], c);
}

bool hd_os_settle(struct hd_order_solver *s, bool *back)
{
	while (!s->contradiction && !s->no_memory) {
		if (!s->nconflict && propagate(s))
			return !s->no_memory;
		if (s->no_memory)
			break;
		*back = true;
		learn(s);
	}
	return false;
}
