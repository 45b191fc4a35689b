#include "conflicts.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hash.h"

#define MEETINGS 50000u /* with the same number of preemptions; more are not kept */
#define BACK	 256u	/* operations on one object that a later one is paired with */

/* ---- what meets ------------------------------------------------------------------ */

/* An operation, and the one before it on the same object. */
struct touch {
	uint32_t op, node, before; /* before: 0: none, else its place + 1 */
};

/* Operations that meet in the same way. */
struct class
{
	uint64_t key;
	struct hd_xmeeting *list;
	size_t n, room;
};

struct finder {
	struct hd_xconflicts *c;
	const struct hd_xlog *log;
	struct hd_xparent *parent;
	struct touch *touches;
	size_t ntouches;
	struct hd_map last, by_key; /* object -> touch + 1; key -> class + 1 */
	struct class *classes;
	size_t nclasses, classes_room;
};

static bool is_enabled(const struct hd_xlog *log, const struct hd_xnode *node, uint32_t thread)
{
	for (uint32_t i = 0; i < node->nenabled; i++) {
		if (log->threads[node->first_enabled + i] == thread)
			return true;
	}
	return false;
}

static struct class *class_of(struct finder *f, const struct hd_xop *a, const struct hd_xop *b)
{
	uint64_t key = hd_hash_all(a->object * 256 + a->kind * 16u + b->kind) | 1;
	size_t i = hd_map_get(&f->by_key, key);

	if (i)
		return &f->classes[i - 1];
	if (!HD_ROOM(f->classes, f->classes_room, f->nclasses + 1) ||
	    !hd_map_set(&f->by_key, key, f->nclasses + 1))
		return NULL;
	f->classes[f->nclasses] = (struct class){ .key = key };
	return &f->classes[f->nclasses++];
}

/* Has this preemption been thought of? Then *@known. */
static bool note(struct finder *f, const struct hd_xmeeting *m, bool *known)
{
	uint64_t h = hd_hash_all(f->parent->number + m->node);

	h = hd_hash_all(h + m->thread) + m->then;
	h = hd_hash_all(h + (m->then ? m->steps : 0)) | 1;
	*known = hd_map_get(&f->c->made, h) != 0;
	return *known || hd_map_set(&f->c->made, h, 1);
}

static bool add(struct finder *f, struct class *class, struct hd_xmeeting m)
{
	bool known;

	if (!note(f, &m, &known))
		return false;
	if (known)
		return true;
	if (!HD_ROOM(class->list, class->room, class->n + 1))
		return false;
	class->list[class->n++] = m;
	return true;
}

/* @later of another thread conflicts with the operation of @t: it might come before. */
static bool meet(struct finder *f, const struct touch *t, uint32_t later)
{
	const struct hd_xlog *log = f->log;
	const struct hd_xop *a = &log->ops[t->op], *b = &log->ops[later];
	const struct hd_xnode *node = &log->nodes[t->node];
	struct hd_xmeeting m = { .from = f->parent, .node = t->node, .thread = b->thread };
	struct class *class;

	if (node->why != HD_X_RUN || node->chosen != a->thread || !is_enabled(log, node, b->thread))
		return true;
	class = class_of(f, a, b);
	if (!class || !add(f, class, m))
		return false;
	/* Its steps between the two, which it had not made by then. */
	m.then = a->thread;
	for (uint32_t i = t->op; i <= later; i++)
		m.steps += log->ops[i].thread == b->thread && log->ops[i].begins;
	m.steps += !m.steps;
	return add(f, class_of(f, a, b), m);
}

static bool meet_all(struct finder *f, uint32_t later, uint32_t node)
{
	const struct hd_xop *op = &f->log->ops[later];
	size_t first = hd_map_get(&f->last, op->object + 1);
	struct touch *t = &f->touches[f->ntouches];
	unsigned looked = 0;

	for (size_t i = first; i && looked < BACK; i = f->touches[i - 1].before, looked++) {
		const struct hd_xop *old = &f->log->ops[f->touches[i - 1].op];

		if (old->thread != op->thread && hd_xop_conflict(old, op) &&
		    !meet(f, &f->touches[i - 1], later))
			return false;
	}
	*t = (struct touch){ .op = later, .node = node, .before = (uint32_t)first };
	return hd_map_set(&f->last, op->object + 1, ++f->ntouches);
}

static bool is_on_object(const struct hd_xop *op)
{
	return op->kind < HD_X_FORK && op->kind != HD_X_UNLOCK && op->kind != HD_X_UNLOCK_SHARED;
}

/* ---- in which order --------------------------------------------------------------- */

/* The first, the last, the second, the last but one, ... */
static size_t from_the_ends(size_t i, size_t n)
{
	return i % 2 ? n - 1 - i / 2 : i / 2;
}

static bool put_in_order(struct finder *f)
{
	struct hd_xconflicts *c = f->c;
	uint32_t rank = 0;
	bool any = true;

	for (size_t i = 0; any; i++) {
		any = false;
		for (size_t k = 0; k < f->nclasses; k++) {
			struct class *class = &f->classes[k];
			struct hd_xmeeting *m;

			if (i >= class->n || c->nlater == MEETINGS)
				continue;
			any = true;
			if (!HD_ROOM(c->later, c->later_room, c->nlater + 1))
				return false;
			m = &c->later[c->nlater++];
			*m = class->list[from_the_ends(i, class->n)];
			m->rank = rank++;
			m->number = (uint32_t)c->number++;
			f->parent->uses++;
		}
	}
	return true;
}

static int by_rank(const void *left, const void *right)
{
	const struct hd_xmeeting *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static void put_parent(struct hd_xparent *p)
{
	if (!p || --p->uses)
		return;
	free(p->chosen);
	free(p);
}

/* All that have so many preemptions were made: those with one more. */
static void next_level(struct hd_xconflicts *c)
{
	struct hd_xmeeting *list = c->now;
	size_t room = c->now_room;

	c->now = c->later;
	c->nnow = c->nlater;
	c->now_room = c->later_room;
	c->later = list;
	c->later_room = room;
	c->nlater = c->next = 0;
	c->preemptions++;
	if (c->nnow)
		qsort(c->now, c->nnow, sizeof(*c->now), by_rank);
}

/* ---- for the explorer -------------------------------------------------------------- */

static bool fill(const struct hd_xmeeting *m, struct hd_xasked *asked)
{
	struct hd_xrequest *r = &asked->request;
	size_t nsteps = m->then ? m->steps : 0;

	asked->prefix = malloc((m->node + 1) * sizeof(*asked->prefix));
	asked->wakeup = malloc((nsteps + 1) * sizeof(*asked->wakeup));
	if (!asked->prefix || !asked->wakeup)
		return false;
	memcpy(asked->prefix, m->from->chosen, m->node * sizeof(*asked->prefix));
	asked->prefix[m->node] = m->thread;
	for (size_t i = 0; i + 1 < nsteps; i++)
		asked->wakeup[i] = m->thread;
	if (nsteps)
		asked->wakeup[nsteps - 1] = m->then;
	r->prefix = asked->prefix;
	r->nprefix = m->node + 1;
	r->wakeup = asked->wakeup;
	r->nwakeup = nsteps;
	return true;
}

bool hd_xconflicts_ask(struct hd_xconflicts *c, size_t i, struct hd_xasked *asked, bool *ok)
{
	*ok = true;
	if (c->begun && c->next == c->nnow && i == 0)
		next_level(c);
	if (!c->begun)
		return i == 0; /* what comes by itself */
	if (c->next + i >= c->nnow)
		return false;
	*ok = fill(&c->now[c->next + i], asked);
	return *ok;
}

static bool find_meetings(struct finder *f)
{
	const struct hd_xlog *log = f->log;
	uint32_t node = 0;
	size_t done = log->nops - log->npending;

	for (uint32_t i = log->nnodes ? log->nodes[0].first_op : (uint32_t)done; i < done; i++) {
		while (node + 1 < log->nnodes && log->nodes[node + 1].first_op <= i)
			node++;
		if (is_on_object(&log->ops[i]) && !meet_all(f, i, node))
			return false;
	}
	return put_in_order(f);
}

/* Is it another execution than all before? */
static bool is_new(struct hd_xconflicts *c, const struct hd_xlog *log, bool *ok)
{
	uint64_t h = HD_FNV_START;

	for (size_t i = 0; i < log->nnodes; i++)
		h = hd_fnv_bytes(h, &log->nodes[i].chosen, sizeof(log->nodes[i].chosen));
	h |= 1;
	if (hd_map_get(&c->seen, h))
		return false;
	*ok = hd_map_set(&c->seen, h, 1);
	return *ok;
}

static bool expand(struct hd_xconflicts *c, const struct hd_xlog *log)
{
	struct finder f = { .c = c, .log = log, .parent = calloc(1, sizeof(*f.parent)) };
	bool ok = f.parent;

	if (ok) {
		f.parent->uses = 1;
		f.parent->number = hd_hash_all(c->seen.count);
		f.parent->n = log->nnodes;
		f.parent->chosen = malloc((log->nnodes + 1) * sizeof(*f.parent->chosen));
		f.touches = malloc((log->nops + 1) * sizeof(*f.touches));
		ok = f.parent->chosen && f.touches;
	}
	for (size_t i = 0; ok && i < log->nnodes; i++)
		f.parent->chosen[i] = log->nodes[i].chosen;
	ok = ok && find_meetings(&f);
	for (size_t i = 0; i < f.nclasses; i++)
		free(f.classes[i].list);
	free(f.classes);
	free(f.touches);
	hd_map_free(&f.last);
	hd_map_free(&f.by_key);
	put_parent(f.parent);
	return ok;
}

bool hd_xconflicts_learn(struct hd_xconflicts *c, const struct hd_xlog *log)
{
	bool ok = true;

	if (c->begun)
		put_parent(c->now[c->next++].from);
	c->begun = true;
	if (c->nlater < MEETINGS && is_new(c, log, &ok) && ok)
		ok = expand(c, log);
	return ok;
}

void hd_xconflicts_free(struct hd_xconflicts *c)
{
	while (c->next < c->nnow)
		put_parent(c->now[c->next++].from);
	while (c->nlater)
		put_parent(c->later[--c->nlater].from);
	free(c->now);
	free(c->later);
	hd_map_free(&c->made);
	hd_map_free(&c->seen);
	*c = (struct hd_xconflicts){ 0 };
}
