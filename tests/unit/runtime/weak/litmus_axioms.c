/*
 * The oracle: every reads-from and every modification order, and the axioms of RC11 one by one, as
 * relations over all events. It shares nothing with the model. A read-modify-write is two events.
 */
#include "litmus.h"

#include <stdio.h>
#include <string.h>

#define N 48

typedef struct {
	unsigned long long row[N]; /* bit b of row a: a is related to b */
} rel;

struct event {
	char kind; /* R, W, F, '!'; 0: a write that does not happen */
	int loc, value, order;
	int thread, op; /* thread -1: the first write of its location */
	int rmw;	/* of an R: its W; else -1 */
};

struct world {
	const struct litmus *t;
	struct event ev[N];
	int n;
	int rf[N];    /* of reads */
	bool weak[N]; /* of a weak compare-exchange: it fails in any case */
	int mo[LITMUS_LOCS][N], nmo[LITMUS_LOCS];
	struct litmus_set *out;
};

/* ---- relations ---- */

static int count; /* of events */

static bool has(const rel *r, int a, int b)
{
	return r->row[a] >> b & 1;
}

static void put(rel *r, int a, int b)
{
	r->row[a] |= 1ull << b;
}

static rel unite(rel a, rel b)
{
	for (int i = 0; i < count; i++)
		a.row[i] |= b.row[i];
	return a;
}

static rel then(rel a, rel b)
{
	rel c = { { 0 } };

	for (int i = 0; i < count; i++) {
		for (int k = 0; k < count; k++) {
			if (has(&a, i, k))
				c.row[i] |= b.row[k];
		}
	}
	return c;
}

static rel maybe(rel a)
{
	for (int i = 0; i < count; i++)
		put(&a, i, i);
	return a;
}

static rel plus(rel a)
{
	for (int k = 0; k < count; k++) {
		for (int i = 0; i < count; i++) {
			if (has(&a, i, k))
				a.row[i] |= a.row[k];
		}
	}
	return a;
}

static bool irreflexive(rel a)
{
	for (int i = 0; i < count; i++) {
		if (has(&a, i, i))
			return false;
	}
	return true;
}

static bool acyclic(rel a)
{
	return irreflexive(plus(a));
}

typedef bool test_fn(const struct event *e);

static rel those(const struct world *w, test_fn *test)
{
	rel r = { { 0 } };

	for (int i = 0; i < count; i++) {
		if (w->ev[i].kind && test(&w->ev[i]))
			put(&r, i, i);
	}
	return r;
}

/* Those pairs of @a that are at one location (or, not @same, that are not). */
static rel at_loc(const struct world *w, rel a, bool same)
{
	for (int i = 0; i < count; i++) {
		for (int k = 0; k < count; k++) {
			bool is = w->ev[i].loc >= 0 && w->ev[i].loc == w->ev[k].loc;

			if (is != same)
				a.row[i] &= ~(1ull << k);
		}
	}
	return a;
}

/* ---- sets ---- */

static bool is_w(const struct event *e)
{
	return e->kind == 'W';
}
static bool is_r(const struct event *e)
{
	return e->kind == 'R';
}
static bool is_f(const struct event *e)
{
	return e->kind == 'F';
}
static bool is_sc(const struct event *e)
{
	return e->order == __ATOMIC_SEQ_CST && e->kind != '!' && e->thread >= 0;
}
static bool is_sc_fence(const struct event *e)
{
	return is_f(e) && is_sc(e);
}
static bool is_rel(const struct event *e)
{
	return e->thread >= 0 && e->kind != '!' && e->kind != 'R' &&
	       (e->order == __ATOMIC_RELEASE || e->order == __ATOMIC_ACQ_REL ||
		e->order == __ATOMIC_SEQ_CST);
}
static bool is_acq(const struct event *e)
{
	return e->kind != '!' && e->kind != 'W' &&
	       (e->order == __ATOMIC_ACQUIRE || e->order == __ATOMIC_ACQ_REL ||
		e->order == __ATOMIC_SEQ_CST);
}

/* ---- the axioms ---- */

static rel po_of(const struct world *w)
{
	rel po = { { 0 } };

	for (int a = 0; a < w->n; a++) {
		for (int b = a + 1; b < w->n; b++) {
			if (w->ev[a].kind && w->ev[b].kind &&
			    (w->ev[a].thread < 0 ? w->ev[b].thread >= 0
						 : w->ev[a].thread == w->ev[b].thread))
				put(&po, a, b);
		}
	}
	return po;
}

static rel rf_of(const struct world *w)
{
	rel rf = { { 0 } };

	for (int i = 0; i < w->n; i++) {
		if (w->ev[i].kind == 'R')
			put(&rf, w->rf[i], i);
	}
	return rf;
}

static bool is_consistent(const struct world *w)
{
	rel po = po_of(w), rf = rf_of(w), mo = { { 0 } }, rb = { { 0 } }, rmw = { { 0 } };
	rel W = those(w, is_w), R = those(w, is_r), F = those(w, is_f), SC = those(w, is_sc),
	    FSC = those(w, is_sc_fence), REL = those(w, is_rel), ACQ = those(w, is_acq);
	rel rs, sw, hb, eco, scb, left, right, psc;

	for (int l = 0; l < LITMUS_LOCS; l++) {
		for (int i = 0; i < w->nmo[l]; i++) {
			for (int k = i + 1; k < w->nmo[l]; k++)
				put(&mo, w->mo[l][i], w->mo[l][k]);
		}
	}
	for (int r = 0; r < w->n; r++) {
		if (w->ev[r].kind == 'R')
			rb.row[r] = mo.row[w->rf[r]];
		if (w->ev[r].kind == 'R' && w->ev[r].rmw >= 0 && w->ev[w->ev[r].rmw].kind)
			put(&rmw, r, w->ev[r].rmw);
	}
	/* rs = [W]; (rf; rmw)*, as in C++20 */
	rs = then(W, maybe(plus(then(rf, rmw))));
	/* sw = [rel]; ([F]; po)?; rs; rf; [R]; (po; [F])?; [acq] */
	sw = then(REL, then(maybe(then(F, po)),
			    then(rs, then(rf, then(R, then(maybe(then(po, F)), ACQ))))));
	hb = plus(unite(po, sw));
	eco = plus(unite(rf, unite(mo, rb)));
	if (!irreflexive(hb) || !irreflexive(then(hb, eco))) /* coherence */
		return false;
	for (int r = 0; r < w->n; r++) { /* atomicity: rmw and (rb; mo) have nothing in common */
		rel between = then(rb, mo);

		if (rmw.row[r] & between.row[r])
			return false;
	}
	if (!acyclic(unite(po, rf))) /* no thin air */
		return false;
	/* scb = po, po|!=loc; hb; po|!=loc, hb|loc, mo, rb */
	scb = unite(unite(po, then(at_loc(w, po, false), then(hb, at_loc(w, po, false)))),
		    unite(at_loc(w, hb, true), unite(mo, rb)));
	left = unite(SC, then(FSC, maybe(hb)));
	right = unite(SC, then(maybe(hb), FSC));
	psc = then(left, then(scb, right));
	psc = unite(psc, then(FSC, then(unite(hb, then(hb, then(eco, hb))), FSC)));
	return acyclic(psc);
}

/* ---- going through all of them ---- */

static int put_name(char *to, size_t room, const struct event *e)
{
	if (e->thread < 0)
		return snprintf(to, room, "i ");
	return snprintf(to, room, "%d.%d ", e->thread, e->op);
}

static void tell(struct world *w)
{
	char text[600];
	size_t at = 0;

	for (int i = 0; i < w->n; i++) {
		if (w->ev[i].kind == 'R') {
			bool fails = w->ev[i].rmw >= 0 && !w->ev[w->ev[i].rmw].kind;

			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s",
					       fails ? "-" : "");
			at += (size_t)put_name(text + at, sizeof(text) - at, &w->ev[w->rf[i]]);
		}
	}
	for (int l = 0; l < LITMUS_LOCS; l++) {
		at += (size_t)snprintf(text + at, sizeof(text) - at, "; ");
		for (int k = 1; k < w->nmo[l]; k++)
			at += (size_t)put_name(text + at, sizeof(text) - at, &w->ev[w->mo[l][k]]);
	}
	at += (size_t)snprintf(text + at, sizeof(text) - at, "=");
	for (int i = 0; i < w->n; i++) {
		if (w->ev[i].kind == 'R')
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%d",
					       w->ev[w->rf[i]].value);
	}
	snprintf(text + at, sizeof(text) - at, "/%d%d%d", w->ev[w->mo[0][w->nmo[0] - 1]].value,
		 w->ev[w->mo[1][w->nmo[1] - 1]].value, w->ev[w->mo[2][w->nmo[2] - 1]].value);
	litmus_add(w->out, text);
}

static void each_order(struct world *w, int loc)
{
	if (loc == LITMUS_LOCS) {
		if (is_consistent(w))
			tell(w);
		return;
	}
	if (w->nmo[loc] == 0) {
		w->mo[loc][0] = loc;
		w->nmo[loc] = 1;
	}
	for (int i = LITMUS_LOCS, all = 1;; i++) {
		if (i == w->n) {
			if (all)
				each_order(w, loc + 1);
			break;
		}
		bool in = w->ev[i].kind != 'W' || w->ev[i].loc != loc;

		for (int k = 0; k < w->nmo[loc]; k++)
			in |= w->mo[loc][k] == i;
		if (in)
			continue;
		all = 0;
		w->mo[loc][w->nmo[loc]++] = i;
		each_order(w, loc);
		w->nmo[loc]--;
	}
	if (w->nmo[loc] == 1)
		w->nmo[loc] = 0;
}

/* What the reads come to be, given what they read from; false: some of it cannot be. */
static bool evaluate(struct world *w)
{
	rel po = po_of(w), rf = rf_of(w);
	bool known[N] = { false };

	if (!acyclic(unite(po, rf)))
		return false;
	for (int round = 0; round < w->n; round++) {
		for (int i = 0; i < w->n; i++) {
			struct event *e = &w->ev[i], *to;
			const struct litmus_op *o;
			int got;

			if (e->kind != 'R') {
				if (e->kind != 'W' || e->thread < 0 ||
				    w->t->ops[e->thread][e->op].kind == 'W')
					known[i] = true;
				continue;
			}
			if (known[i] || !known[w->rf[i]])
				continue;
			known[i] = true;
			o = &w->t->ops[e->thread][e->op];
			got = w->ev[w->rf[i]].value;
			if (e->rmw < 0)
				continue;
			to = &w->ev[e->rmw];
			known[e->rmw] = true;
			to->value = o->kind == 'A' ? got + o->value : o->value;
			if (o->kind != 'C' && o->kind != 'K')
				continue;
			if (got != o->expected) {
				if (w->weak[i])
					return false; /* it fails anyway: the same once more */
				to->kind = 0;
			} else if (w->weak[i]) {
				to->kind = 0;
			}
			if (!to->kind)
				e->order = o->fail_order;
		}
	}
	for (int i = 0; i < w->n; i++) {
		if (w->ev[i].kind == 'R' && w->ev[w->rf[i]].kind != 'W')
			return false;
	}
	return true;
}

static void each_source(struct world *w, int at)
{
	while (at < w->n && w->ev[at].kind != 'R')
		at++;
	if (at == w->n) {
		struct world copy = *w;

		if (evaluate(&copy))
			each_order(&copy, 0);
		return;
	}
	for (int i = 0; i < w->n; i++) {
		if (w->ev[i].kind != 'W' || w->ev[i].loc != w->ev[at].loc)
			continue;
		w->rf[at] = i;
		w->weak[at] = false;
		each_source(w, at + 1);
		if (w->t->ops[w->ev[at].thread][w->ev[at].op].kind == 'K') {
			w->weak[at] = true;
			each_source(w, at + 1);
			w->weak[at] = false;
		}
	}
}

static int part(int order, bool write)
{
	if (order == __ATOMIC_ACQ_REL)
		return write ? __ATOMIC_RELEASE : __ATOMIC_ACQUIRE;
	if (order == (write ? __ATOMIC_ACQUIRE : __ATOMIC_RELEASE))
		return __ATOMIC_RELAXED;
	return order;
}

void litmus_by_axioms(const struct litmus *t, struct litmus_set *out)
{
	struct world w = { .t = t, .out = out };

	for (int l = 0; l < LITMUS_LOCS; l++)
		w.ev[w.n++] = (struct event){ .kind = 'W', .loc = l, .thread = -1, .rmw = -1 };
	for (int k = 0; k < t->nthreads; k++) {
		for (int i = 0; i < t->nops[k]; i++) {
			const struct litmus_op *o = &t->ops[k][i];
			struct event e = { .loc = o->loc, .thread = k, .op = i, .rmw = -1 };

			e.kind = o->kind;
			e.value = o->value;
			e.order = o->order;
			if (litmus_reads(o)) {
				e.kind = 'R';
				if (o->kind != 'R') {
					e.order = part(o->order, false);
					e.rmw = w.n + 1;
					w.ev[w.n++] = e;
					e.kind = 'W';
					e.rmw = -1;
					e.order = part(o->order, true);
				}
			}
			w.ev[w.n++] = e;
		}
	}
	count = w.n;
	each_source(&w, 0);
}
