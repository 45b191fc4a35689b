#include "position.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/*
 * The file is for the same build of heddle on the same machine (whoever reads it makes
 * sure of that), so numbers are as they are in memory. What is read is still checked: an index or a
 * length that makes no sense is an error, and memory is taken only for what is there.
 */

#define MOST (1u << 26) /* of anything */

/* ---- writing ---------------------------------------------------------------- */

static bool put(FILE *out, const void *p, size_t size, size_t n)
{
	return n == 0 || fwrite(p, size, n, out) == n;
}

static bool put_number(FILE *out, uint64_t v)
{
	return put(out, &v, sizeof(v), 1);
}

static bool put_choice(FILE *out, const struct hd_xchoice *c)
{
	uint8_t flags =
		(uint8_t)(c->wanted | c->done << 1 | c->asleep << 2 | (c->ops != NULL) << 3);

	return put(out, &c->thread, sizeof(c->thread), 1) && put(out, &flags, 1, 1) &&
	       put(out, &c->since, sizeof(c->since), 1) && put_number(out, c->nops) &&
	       put(out, c->ops, sizeof(*c->ops), c->nops);
}

/* A step and what comes after it: each with its place in a sequence, from 1. */
static bool put_step(FILE *out, const struct hd_xstep *s, uint64_t place)
{
	return put_number(out, place) && put_number(out, s->thread) && put_number(out, s->nops) &&
	       put(out, s->ops, sizeof(*s->ops), s->nops);
}

struct path {
	const struct hd_xstep **steps;
	size_t n, room;
};

/* Sequences may be as long as executions: not by recursion. */
static bool put_steps(FILE *out, const struct hd_xstep *s, struct path *to)
{
	while (s) {
		if (!HD_ROOM(to->steps, to->room, to->n + 1) || !put_step(out, s, to->n + 1))
			return false;
		to->steps[to->n++] = s;
		s = s->first;
		while (!s && to->n)
			s = to->steps[--to->n]->next;
	}
	return true;
}

static bool put_wakeup(FILE *out, const struct hd_xwakeup *w)
{
	struct path to = { 0 };
	bool ok = put_steps(out, w->first, &to) && put_number(out, 0);

	free(to.steps);
	return ok;
}

bool hd_xnode_write(const struct hd_xtreenode *n, FILE *out)
{
	uint64_t head[] = {
		n->nenabled, n->nchoices, n->chosen, n->current, n->why, n->preemptions, n->again,
	};

	if (!put(out, head, sizeof(head), 1))
		return false;
	for (size_t i = 0; i < n->nchoices; i++) {
		if (!put_choice(out, &n->choices[i]))
			return false;
	}
	return put_wakeup(out, &n->wakeup);
}

static int by_hash(const void *a, const void *b)
{
	const struct hd_seen_state *s = a, *t = b;

	return s->hash < t->hash ? -1 : s->hash > t->hash;
}

/* In an order that does not depend on how the table came about. */
static bool put_states(FILE *out, const struct hd_seen_states *states)
{
	struct hd_seen_state *sorted = malloc((states->n + 1) * sizeof(*sorted));
	bool ok = sorted && put_number(out, states->n);
	size_t n = 0;

	for (size_t i = 0; ok && i < states->cap; i++) {
		if (states->slots[i].hash)
			sorted[n++] = states->slots[i];
	}
	if (ok)
		qsort(sorted, n, sizeof(*sorted), by_hash);
	for (size_t i = 0; ok && i < n; i++)
		ok = put_number(out, sorted[i].hash) && put_number(out, sorted[i].spent);
	free(sorted);
	return ok;
}

bool hd_xposition_write(const struct hd_xposition *p, FILE *out)
{
	uint64_t stats[] = { p->stats.executions,
			     p->stats.redundant,
			     p->stats.matched,
			     p->stats.cut,
			     p->stats.states,
			     p->stats.transitions,
			     p->stats.depth,
			     p->tree.sleep | p->tree.sequences << 1 | p->tree.anew << 2 |
				     p->tree.by_graph << 3 | p->tree.equal << 4,
			     p->stats.pct_executions,
			     p->stats.pct_threads,
			     p->stats.pct_length,
			     p->tree.awaited,
			     p->stats.assumed,
			     p->tree.base << 1 | p->tree.fresh };

	if (!put(out, stats, sizeof(stats), 1) || !put_number(out, p->tree.n))
		return false;
	for (size_t i = 0; i < p->tree.n; i++) {
		if (!hd_xnode_write(&p->tree.nodes[i], out))
			return false;
	}
	return put_states(out, &p->states);
}

/* ---- reading ---------------------------------------------------------------- */

static bool get(FILE *in, void *p, size_t size, size_t n)
{
	return n == 0 || fread(p, size, n, in) == n;
}

void *hd_xread_many(FILE *in, uint64_t n, size_t size)
{
	size_t have = 0, room = 0;
	char *items = NULL;

	while (have < n) {
		size_t want = n - have < 4096 ? (size_t)n - have : 4096;
		char *p = realloc(items, (room + want) * size);

		if (p)
			items = p;
		if (!p || !get(in, items + have * size, size, want)) {
			free(items);
			return NULL;
		}
		have = room += want;
	}
	return items;
}

bool hd_xstats_read(FILE *in, struct hd_xstats *stats)
{
	unsigned char bytes[sizeof(*stats)];

	if (!get(in, bytes, sizeof(bytes), 1) || bytes[offsetof(struct hd_xstats, complete)] > 1)
		return false;
	memcpy(stats, bytes, sizeof(bytes));
	stats->stopped = NULL;
	return true;
}

static bool get_choice(FILE *in, struct hd_xchoice *c)
{
	uint64_t nops;
	uint8_t flags;

	if (!get(in, &c->thread, sizeof(c->thread), 1) || !get(in, &flags, 1, 1) ||
	    !get(in, &c->since, sizeof(c->since), 1) || !get(in, &nops, sizeof(nops), 1) ||
	    nops > MOST || (nops && !(flags & 8)))
		return false;
	c->wanted = flags & 1;
	c->done = flags >> 1 & 1;
	c->asleep = flags >> 2 & 1;
	if (nops)
		c->ops = hd_xread_many(in, nops, sizeof(*c->ops));
	else if (flags & 8)
		c->ops = malloc(sizeof(*c->ops)); /* it did nothing, and that is known */
	c->nops = c->ops ? (size_t)nops : 0;
	return c->ops || !(flags & 8);
}

static struct hd_xstep *get_step(FILE *in, struct hd_xwakeup *w, struct hd_xstep *after)
{
	uint64_t head[2]; /* thread, operations */
	struct hd_xstep *s = NULL;
	struct hd_xop *ops = NULL;

	if (!get(in, head, sizeof(head), 1) || head[1] > MOST)
		return NULL;
	if (head[1])
		ops = hd_xread_many(in, head[1], sizeof(*ops));
	if (ops || !head[1])
		s = hd_xwakeup_add(w, after, (uint32_t)head[0], ops, (size_t)head[1]);
	free(ops);
	return s;
}

/* Each step comes after the last one whose place is before its own. */
static bool get_steps(FILE *in, struct hd_xtreenode *node, struct hd_xstep ***path, size_t *room)
{
	uint64_t place, n = 0;

	for (;;) {
		struct hd_xstep *s;

		if (!get(in, &place, sizeof(place), 1) || place > n + 1)
			return false;
		if (!place)
			return true;
		if (!HD_ROOM(*path, *room, (size_t)place))
			return false;
		s = get_step(in, &node->wakeup, place > 1 ? (*path)[place - 2] : NULL);
		if (!s || (place == 1 && !hd_xtree_choice(node, s->thread)))
			return false;
		(*path)[place - 1] = s;
		n = place;
	}
}

static bool get_wakeup(FILE *in, struct hd_xtreenode *node)
{
	struct hd_xstep **path = NULL;
	size_t room = 0;
	bool ok = get_steps(in, node, &path, &room);

	free(path);
	return ok;
}

bool hd_xnode_read(FILE *in, struct hd_xtree *t)
{
	uint64_t head[7];
	struct hd_xtreenode *n;

	if (!get(in, head, sizeof(head), 1) || head[1] > MOST || head[0] > head[1] ||
	    head[2] >= head[0])
		return false;
	n = hd_xtree_push(t);
	if (!n)
		return false;
	*n = (struct hd_xtreenode){ .nenabled = (size_t)head[0],
				    .chosen = (size_t)head[2],
				    .current = (uint32_t)head[3],
				    .why = (uint32_t)head[4],
				    .preemptions = (uint32_t)head[5],
				    .again = head[6] != 0 };
	for (; n->nchoices < head[1]; n->nchoices++) {
		if (!(n->nchoices & (n->nchoices - 1))) { /* room for twice as many */
			void *p = realloc(n->choices, (2 * n->nchoices + 1) * sizeof(*n->choices));

			if (!p)
				return false;
			n->choices = p;
		}
		n->choices[n->nchoices] = (struct hd_xchoice){ 0 };
		if (!get_choice(in, &n->choices[n->nchoices])) {
			free(n->choices[n->nchoices].ops);
			return false;
		}
	}
	return get_wakeup(in, n);
}

static bool get_states(FILE *in, struct hd_seen_states *s)
{
	uint64_t n, state[2];
	bool known;

	if (!get(in, &n, sizeof(n), 1))
		return false;
	for (; n; n--) {
		if (!get(in, state, sizeof(state), 1) || !state[0] ||
		    !hd_seen_states_add(s, state[0], (uint32_t)state[1], &known) || known)
			return false;
	}
	return true;
}

/* A part that is fresh ends with the decision at which something is tried. */
static bool has_place(const struct hd_xtree *t)
{
	const struct hd_xtreenode *last = t->n ? &t->nodes[t->n - 1] : NULL;

	return t->base <= t->n &&
	       (!t->fresh || (last && t->base == t->n && hd_xtree_next(last) < last->nenabled));
}

enum hd_err hd_xposition_read(FILE *in, struct hd_xposition **out)
{
	struct hd_xposition *p = calloc(1, sizeof(*p));
	uint64_t stats[14], n;
	bool ok;

	*out = NULL;
	if (!p)
		return HD_ERR_NOMEM;
	ok = get(in, stats, sizeof(stats), 1) && get(in, &n, sizeof(n), 1);
	for (; ok && n; n--)
		ok = hd_xnode_read(in, &p->tree);
	p->tree.base = ok ? (size_t)(stats[13] >> 1) : 0;
	p->tree.fresh = ok && stats[13] & 1;
	ok = ok && get_states(in, &p->states) && has_place(&p->tree);
	if (!ok) {
		hd_xposition_free(p);
		return HD_ERR_CORRUPT;
	}
	p->stats = (struct hd_xstats){ .executions = stats[0],
				       .redundant = stats[1],
				       .matched = stats[2],
				       .cut = stats[3],
				       .states = stats[4],
				       .transitions = stats[5],
				       .depth = stats[6],
				       .pct_executions = stats[8],
				       .pct_threads = stats[9],
				       .pct_length = stats[10],
				       .assumed = stats[12] };
	p->tree.sleep = stats[7] & 1;
	p->tree.sequences = stats[7] >> 1 & 1;
	p->tree.anew = stats[7] >> 2 & 1;
	p->tree.by_graph = stats[7] >> 3 & 1;
	p->tree.equal = stats[7] >> 4 & 1;
	p->tree.awaited = stats[11];
	*out = p;
	return HD_OK;
}

void hd_xposition_free(struct hd_xposition *p)
{
	if (!p)
		return;
	hd_xtree_free(&p->tree);
	hd_seen_states_free(&p->states);
	free(p);
}
