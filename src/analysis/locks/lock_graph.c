#include "lock_graph.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/intern.h"
#include "common/array.h"
#include "common/budget.h"
#include "lock_state.h"

/* Edges tried before the search gives up: some seconds. */
#define STEPS_MAX (1u << 26)
#define LOOK	  (1u << 12) /* steps between looks at the budget */

/* A cycle of more threads is not looked for. */
#define LENGTH_MAX 16

#define HELD_MAX 64

/* Who holds more than HELD_MAX locks: from how many of them, the last, an edge leads to the next. */
#define HELD_LAST 8

/* Edges with equal keys are one. Compared as bytes: no padding. */
struct edge_key {
	uint64_t from, to; /* identities of the locks held and wanted */
	uint64_t from_site, to_site;
	hd_acq acq; /* before taking */
	hd_moment moment;
	uint32_t thread;
	uint16_t from_exclusive, to_exclusive;
};

/* One end of an edge: where a lock was taken. */
struct end {
	uint64_t index;
	struct hd_event event;
	uint32_t locks; /* held at the time, interned */
};

struct edge {
	struct edge_key key;
	struct end holds, wants;
	uint64_t count;
	uint32_t next; /* with the same lock held; 0: none */
	bool useless;  /* on no cycle */
};

/* A cycle is an array of edge numbers. */
struct cycle {
	uint32_t edges[LENGTH_MAX];
	unsigned n;
	uint64_t first, count;
};

struct hd_lock_graph {
	hd_found_fn *fn;
	void *arg;
	struct hd_lock_state locks;
	struct hd_intern keys, held; /* keys: of edges, with their numbers */
	struct edge *edges;	     /* [0] is unused */
	size_t nedges, edges_room;
	uint32_t *from; /* head of the list of edges, by lock */
	size_t nfrom;
	struct hd_intern site_sets; /* numbered like cycles */
	struct cycle *cycles;	    /* [0] is unused */
	size_t ncycles, cycles_room;
	uint32_t steps;
	bool failed, incomplete;
};

struct hd_lock_graph *hd_lock_graph_new(hd_found_fn *fn, void *arg)
{
	struct hd_lock_graph *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->fn = fn;
	g->arg = arg;
	g->nedges = g->ncycles = 1;
	if (!hd_lock_state_init(&g->locks)) {
		free(g);
		return NULL;
	}
	return g;
}

void hd_lock_graph_free(struct hd_lock_graph *g)
{
	if (!g)
		return;
	hd_lock_state_free(&g->locks);
	hd_intern_free(&g->keys);
	hd_intern_free(&g->held);
	hd_intern_free(&g->site_sets);
	free(g->edges);
	free(g->from);
	free(g->cycles);
	free(g);
}

bool hd_lock_graph_incomplete(const struct hd_lock_graph *g)
{
	return g->incomplete;
}

/* --- edges --- */

/* Where there is no code address the lock stands for it. */
static uint64_t site_of(const struct hd_event *ev)
{
	return ev->pc ? ev->pc : 1ull << 63 | ev->addr;
}

/* The locks of @t that it took before @n more. */
static uint32_t held_before(struct hd_lock_graph *g, const struct hd_thread_locks *t, size_t n)
{
	struct hd_found_lock locks[HELD_MAX];
	size_t all = hd_thread_locks_found(t, locks, HELD_MAX);
	uint32_t number;

	n = n < all ? n : all;
	if (!n)
		return 0;
	number = hd_intern_put(&g->held, locks, n * sizeof(*locks));
	g->failed |= !number;
	return number;
}

static void add_edge(struct hd_lock_graph *g, const struct hd_thread_locks *t, size_t from,
		     hd_acq acq)
{
	const struct hd_held_lock *h = &t->held[from], *w = &t->held[t->nheld - 1];
	struct edge_key key = {
		.from = h->lock,
		.to = w->lock,
		.from_site = site_of(&h->event),
		.to_site = site_of(&w->event),
		.acq = acq,
		.moment = hd_thread_locks_moment(&g->locks, t),
		.thread = t->at,
		.from_exclusive = h->exclusive,
		.to_exclusive = w->exclusive,
	};
	uint32_t number = hd_intern_put(&g->keys, &key, sizeof(key));

	if (!number || !key.moment) {
		g->failed = true;
		return;
	}
	if (number == g->nedges) {
		if (!HD_ROOM(g->edges, g->edges_room, g->nedges + 1)) {
			g->failed = true;
			return;
		}
		g->edges[g->nedges++] = (struct edge){
			.key = key,
			.holds = { h->index, h->event, held_before(g, t, from) },
			.wants = { w->index, w->event, held_before(g, t, t->nheld - 1) },
		};
	}
	g->edges[number].count++;
}

static void lock_taken(struct hd_lock_graph *g, const struct hd_thread_locks *t, hd_acq before)
{
	size_t first = 0;

	if (t->held[t->nheld - 1].event.arg & (HD_LOCK_TRY | HD_LOCK_TIMED))
		return;
	if (t->nheld > HELD_MAX) { /* else edges would be as many as pairs of locks */
		first = t->nheld - 1 - HELD_LAST;
		g->incomplete = true;
	}
	for (size_t i = first; i + 1 < t->nheld && !g->failed; i++)
		add_edge(g, t, i, before);
}

enum hd_err hd_lock_graph_feed(struct hd_lock_graph *g, const struct hd_event *events, size_t n,
			       uint64_t first)
{
	for (size_t i = 0; i < n && !g->failed; i++) {
		const struct hd_event *ev = &events[i];
		struct hd_thread_locks *t;
		hd_acq before = HD_ACQ_NONE;
		unsigned change;

		if (ev->op == HD_OP_READ || ev->op == HD_OP_WRITE)
			continue;
		if (ev->op == HD_OP_ACQUIRE) {
			t = hd_thread_locks(&g->locks, ev->thread);
			before = t ? t->acq : HD_ACQ_NONE;
		}
		change = hd_lock_state_event(&g->locks, ev, first + i, &t);
		g->failed |= (change & HD_CHANGE_FAILED) != 0;
		if (change & HD_CHANGE_TAKEN)
			lock_taken(g, t, before);
	}
	return g->failed || hd_lock_state_failed(&g->locks) ? HD_ERR_NOMEM : HD_OK;
}

/* --- cycles --- */

/* The edges that are not dropped yet, by the lock that they start from and the one that they end at. */
struct ends {
	uint32_t *out, *in;		/* how many, by lock */
	uint32_t *first_out, *first_in; /* lists, by lock; 0 ends one */
	uint32_t *next_out, *next_in;	/* by edge */
	uint32_t *todo;			/* locks where none start, or none end */
	size_t ntodo;
};

static bool ends_init(struct ends *x, const struct hd_lock_graph *g)
{
	size_t n = g->nfrom;
	uint32_t *all = calloc(4 * n + 2 * g->nedges + 3 * n, sizeof(*all));

	if (!all)
		return false;
	*x = (struct ends){ .out = all,
			    .in = all + n,
			    .first_out = all + 2 * n,
			    .first_in = all + 3 * n,
			    .next_out = all + 4 * n,
			    .next_in = all + 4 * n + g->nedges,
			    .todo = all + 4 * n + 2 * g->nedges };
	for (size_t i = 1; i < g->nedges; i++) {
		const struct edge *e = &g->edges[i];

		x->out[e->key.from]++;
		x->in[e->key.to]++;
		x->next_out[i] = x->first_out[e->key.from];
		x->first_out[e->key.from] = (uint32_t)i;
		x->next_in[i] = x->first_in[e->key.to];
		x->first_in[e->key.to] = (uint32_t)i;
	}
	for (size_t i = 0; i < n; i++) {
		if (!x->out[i] != !x->in[i])
			x->todo[x->ntodo++] = (uint32_t)i;
	}
	return true;
}

static void drop(struct hd_lock_graph *g, struct ends *x, uint32_t number)
{
	struct edge *e = &g->edges[number];

	if (e->useless)
		return;
	e->useless = true;
	if (--x->out[e->key.from] == 0)
		x->todo[x->ntodo++] = (uint32_t)e->key.from;
	if (--x->in[e->key.to] == 0)
		x->todo[x->ntodo++] = (uint32_t)e->key.to;
}

/*
 * Drop edges that are on no cycle: those at a lock where none ends, or none starts, and what is then of
 * that kind. Each lock comes up when its last edge of a kind goes, so twice, and at the start.
 */
static bool trim(struct hd_lock_graph *g)
{
	struct ends x;

	if (!ends_init(&x, g))
		return false;
	while (x.ntodo) {
		uint32_t lock = x.todo[--x.ntodo];

		for (uint32_t e = x.in[lock] ? 0 : x.first_out[lock]; e; e = x.next_out[e])
			drop(g, &x, e);
		for (uint32_t e = x.out[lock] ? 0 : x.first_in[lock]; e; e = x.next_in[e])
			drop(g, &x, e);
	}
	free(x.out);
	return true;
}

static bool link_edges(struct hd_lock_graph *g)
{
	g->nfrom = g->locks.nlocks;
	g->from = calloc(g->nfrom, sizeof(*g->from));
	if (!g->from || !trim(g))
		return false;
	for (size_t i = g->nedges; i-- > 1;) {
		struct edge *e = &g->edges[i];

		if (!e->useless) {
			e->next = g->from[e->key.from];
			g->from[e->key.from] = (uint32_t)i;
		}
	}
	return true;
}

/* Does what @a wants collide with what @b holds? Two readers do not. */
static bool waits_for(const struct edge *a, const struct edge *b)
{
	return a->key.to == b->key.from && (a->key.to_exclusive || b->key.from_exclusive);
}

/* Can the threads be at these edges at the same time? */
static bool together(struct hd_lock_graph *g, const struct edge *a, const struct edge *b)
{
	return a->key.thread != b->key.thread &&
	       !hd_must_before(&g->locks.must, a->key.moment, b->key.moment) &&
	       !hd_must_before(&g->locks.must, b->key.moment, a->key.moment) &&
	       hd_acq_compatible(g->locks.acqs, a->key.acq, b->key.acq);
}

struct site_pair {
	uint64_t from, to;
};

static int by_sites(const void *a, const void *b)
{
	const struct site_pair *p = a, *q = b;

	if (p->from != q->from)
		return p->from < q->from ? -1 : 1;
	return p->to < q->to ? -1 : p->to > q->to;
}

static uint64_t product_of_counts(const struct hd_lock_graph *g, const struct cycle *c)
{
	uint64_t product = 1;

	for (unsigned i = 0; i < c->n; i++) {
		if (__builtin_mul_overflow(product, g->edges[c->edges[i]].count, &product))
			return UINT64_MAX;
	}
	return product;
}

static void add_cycle(struct hd_lock_graph *g, struct cycle *c)
{
	struct site_pair sites[LENGTH_MAX];
	uint64_t instances = product_of_counts(g, c);
	uint32_t number;

	c->first = UINT64_MAX;
	for (unsigned i = 0; i < c->n; i++) {
		const struct edge *e = &g->edges[c->edges[i]];

		sites[i] = (struct site_pair){ e->key.from_site, e->key.to_site };
		c->first = e->holds.index < c->first ? e->holds.index : c->first;
	}
	qsort(sites, c->n, sizeof(*sites), by_sites);
	number = hd_intern_put(&g->site_sets, sites, c->n * sizeof(*sites));
	if (number == g->ncycles && HD_ROOM(g->cycles, g->cycles_room, g->ncycles + 1)) {
		c->count = 0;
		g->cycles[g->ncycles++] = *c;
	}
	if (!number || number >= g->ncycles) {
		g->failed = true;
		return;
	}
	if (__builtin_add_overflow(g->cycles[number].count, instances, &g->cycles[number].count))
		g->cycles[number].count = UINT64_MAX;
}

static bool fits(struct hd_lock_graph *g, const struct cycle *c, uint32_t number)
{
	const struct edge *e = &g->edges[number];

	/* A cycle is found from its first edge only. */
	if (number <= c->edges[0] || !waits_for(&g->edges[c->edges[c->n - 1]], e))
		return false;
	for (unsigned i = 0; i < c->n; i++) {
		const struct edge *other = &g->edges[c->edges[i]];

		/* To come back to a lock in mid-way is a shorter cycle with something attached. */
		if ((i && other->key.from == e->key.to) || !together(g, other, e))
			return false;
	}
	return true;
}

/* Depth is at most LENGTH_MAX. */
static void extend(struct hd_lock_graph *g, struct cycle *c)
{
	uint32_t at = g->from[g->edges[c->edges[c->n - 1]].key.to];

	for (; at && !g->failed; at = g->edges[at].next) {
		if (g->steps++ >= STEPS_MAX || (g->steps % LOOK == 0 && hd_budget_late())) {
			g->steps = STEPS_MAX;
			g->incomplete = true;
			return;
		}
		if (!fits(g, c, at))
			continue;
		c->edges[c->n++] = at;
		if (waits_for(&g->edges[at], &g->edges[c->edges[0]]))
			add_cycle(g, c);
		else if (c->n == LENGTH_MAX)
			g->incomplete = true;
		else if (g->edges[at].key.to != g->edges[c->edges[0]].key.from)
			extend(g, c);
		c->n--;
	}
}

/* --- telling --- */

static int by_first_event(const void *a, const void *b)
{
	const struct cycle *p = a, *q = b;

	if (p->first != q->first)
		return p->first < q->first ? -1 : 1;
	return memcmp(p->edges, q->edges, sizeof(p->edges)); /* the same in every run */
}

static struct hd_found_access told(const struct hd_lock_graph *g, const char *role,
				   const struct end *end)
{
	struct hd_found_access a = { .role = role, .index = end->index, .event = end->event };
	size_t len;

	if (end->locks) {
		a.locks = hd_intern_get(&g->held, end->locks, &len);
		a.nlocks = len / sizeof(*a.locks);
	}
	return a;
}

static void tell(struct hd_lock_graph *g, const struct cycle *c)
{
	struct hd_found_access accesses[2 * LENGTH_MAX];
	struct hd_found found = { .kind = HD_KIND_LOCK_ORDER,
				  .group = -1,
				  .merged = c->count - 1,
				  .accesses = accesses,
				  .naccesses = c->n * 2u };
	unsigned start = 0;

	while (g->edges[c->edges[start]].holds.index != c->first)
		start++;
	for (unsigned i = 0; i < c->n; i++) {
		const struct edge *e = &g->edges[c->edges[(start + i) % c->n]];

		accesses[2 * i] = told(g, "holds", &e->holds);
		accesses[2 * i + 1] = told(g, "wants", &e->wants);
	}
	found.addr = accesses[0].event.addr;
	g->fn(g->arg, &found);
}

enum hd_err hd_lock_graph_finish(struct hd_lock_graph *g)
{
	if (g->failed || !link_edges(g))
		return HD_ERR_NOMEM;
	for (size_t i = 1; i < g->nedges && !g->failed; i++) {
		struct cycle c = { .edges = { (uint32_t)i }, .n = 1 };

		if (!g->edges[i].useless)
			extend(g, &c);
	}
	if (g->failed || hd_lock_state_failed(&g->locks))
		return HD_ERR_NOMEM;
	if (g->ncycles > 2)
		qsort(g->cycles + 1, g->ncycles - 1, sizeof(*g->cycles), by_first_event);
	for (size_t i = 1; i < g->ncycles; i++)
		tell(g, &g->cycles[i]);
	return HD_OK;
}
