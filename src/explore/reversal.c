#include "reversal.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/budget.h"

#define LOOK 64 /* events between looks at the budget */

/* Events that might come before @earlier together with @later. */
struct reversal {
	const struct hd_xevents *ev;
	const struct hd_xlog *log;
	uint32_t earlier, later;
	bool pending; /* @later did not happen */
	bool by_graph;
};

static bool is_pending(const struct hd_xlog *log, const struct hd_xevent *e)
{
	return e->first_op >= log->nops - log->npending;
}

static bool conflict(const struct reversal *r, uint32_t a, uint32_t b)
{
	const struct hd_xevent *x = &r->ev->list[a], *y = &r->ev->list[b];

	return hd_xops_conflict(r->log->ops + x->first_op, x->nops, r->log->ops + y->first_op,
				y->nops);
}

static bool is_step(const struct reversal *r, const struct hd_xevent *e)
{
	return hd_xops_are_step(r->log->ops + e->first_op, e->nops);
}

/*
 * Has @j, the last of its thread, only found that the thread has to wait, because of @i? Then it comes after that:
 * before it, the thread would not wait but do what it waits for.
 */
static bool finds_out(const struct reversal *r, uint32_t j, uint32_t i)
{
	const struct hd_xevent *e = &r->ev->list[j];
	bool because = false;

	if (!r->log->npending || e->thread == r->ev->list[r->later].thread || !is_step(r, e))
		return false;
	for (uint32_t k = r->ev->n; k-- > j + 1;) {
		if (r->ev->list[k].thread != e->thread)
			continue;
		if (!is_pending(r->log, &r->ev->list[k]))
			return false;
		because |= conflict(r, i, k);
	}
	return because;
}

/*
 * Can @j happen though @earlier does not? For an operation that nobody let happen, those in its
 * way must all come after it.
 */
static bool is_apart(const struct reversal *r, uint32_t j)
{
	if (j == r->later)
		return true;
	/* What else happened may come to something else there, as threads may read something else. */
	if (r->by_graph && !hd_xevents_before(r->ev, j, r->later))
		return false;
	if (hd_xevents_before(r->ev, r->earlier, j) || is_pending(r->log, &r->ev->list[j]) ||
	    finds_out(r, j, r->earlier))
		return false;
	for (uint32_t i = r->earlier + 1; r->pending && i <= j; i++) {
		if (hd_xevents_before(r->ev, i, j) && conflict(r, i, r->later))
			return false;
	}
	return true;
}

/* Does @i have to come before @j there? What @later waited for at a lock comes after it then. */
static bool is_before(const struct reversal *r, uint32_t i, uint32_t j)
{
	return j == r->later ? hd_xevents_before_free(r->ev, i, j) : hd_xevents_before(r->ev, i, j);
}

/* ---- one step at a time ------------------------------------------------------ */

/*
 * Source sets: some thread that may run first is tried first, and the rest comes as it comes.
 */

/* Is @j, of those events, after none of the others? Then its thread may run first. */
static bool is_initial(const struct reversal *r, uint32_t j)
{
	for (uint32_t i = r->earlier + 1; i < j; i++) {
		if ((hd_xevents_before(r->ev, i, j) || finds_out(r, j, i)) && is_apart(r, i))
			return false;
	}
	return true;
}

/* Tell @fn of all threads that may run first, until it says yes. */
typedef bool initial_fn(struct hd_xtreenode *node, uint32_t thread);

static bool any_initial(const struct reversal *r, struct hd_xtreenode *node, initial_fn *fn)
{
	for (uint32_t j = r->later; j > r->earlier; j--) {
		if (j % LOOK == 0 && hd_budget_late())
			return false; /* callers say so, too */
		if (is_apart(r, j) && is_initial(r, j) &&
		    fn(node, r->ev->names[r->ev->list[j].thread]))
			return true;
	}
	return false;
}

static bool is_covered(struct hd_xtreenode *node, uint32_t thread)
{
	struct hd_xchoice *c = hd_xtree_choice(node, thread);

	return c && (c->wanted || c->asleep);
}

static bool want(struct hd_xtreenode *node, uint32_t thread)
{
	struct hd_xchoice *c = hd_xtree_choice(node, thread);

	if (c)
		c->wanted = true;
	return c != NULL;
}

/* Was the event not possible all the time? Then there are places that it cannot come to. */
static bool waits(const struct hd_xlog *log, const struct hd_xevent *e)
{
	for (uint32_t i = e->first_op; i < e->first_op + e->nops; i++) {
		if (log->ops[i].resumed)
			return true;
	}
	return is_pending(log, e);
}

/* Was somebody tried there who may as well come first? */
static bool covers_all(const struct hd_xtreenode *node)
{
	for (size_t i = 0; i < node->nenabled; i++) {
		const struct hd_xchoice *c = &node->choices[i];
		bool all = (c->done || c->asleep) && c->nops;

		for (size_t k = 0; k < c->nops; k++)
			all &= hd_xop_only_offers(&c->ops[k]);
		if (all)
			return true;
	}
	return false;
}

/* The decision is made elsewhere: tell who may run first there, in the order in which they are preferred. */
static bool tell_want(const struct reversal *r, struct hd_xtree *tree, uint32_t node)
{
	struct hd_xwant want = { .node = node,
				 .forced = !waits(r->log, &r->ev->list[r->later]),
				 .threads =
					 malloc((r->later - r->earlier) * sizeof(*want.threads)) };
	bool ok = want.threads;

	for (uint32_t j = r->later; ok && j > r->earlier; j--) {
		if (j % LOOK == 0 && hd_budget_late())
			ok = false;
		else if (is_apart(r, j) && is_initial(r, j))
			want.threads[want.nthreads++] = r->ev->names[r->ev->list[j].thread];
	}
	ok = ok && hd_xwants_add(&tree->wants, &want);
	free(want.threads);
	return ok;
}

static bool want_first(const struct reversal *r, struct hd_xtreenode *node)
{
	if (r->by_graph && covers_all(node))
		return true;
	if (any_initial(r, node, is_covered) || any_initial(r, node, want) ||
	    waits(r->log, &r->ev->list[r->later]))
		return !hd_budget_late();
	for (size_t i = 0; i < node->nenabled; i++)
		node->choices[i].wanted = true;
	return !hd_budget_late();
}

/* ---- whole sequences ---------------------------------------------------------- */

/* The steps after which the race is reversed: all that can happen without the earlier event. */
struct suffix {
	const struct reversal *r;
	uint32_t *events;
	size_t n;
	bool late_steps; /* put_off_steps() */
	size_t need;	 /* so many of them tell it from what is tried elsewhere */
};

enum beginning {
	NEVER,	/* what a thread does next conflicts with a step of the sequence that is no later */
	FIRST,	/* it is in the sequence, and might as well be its first step */
	BESIDE, /* it is not, and conflicts with none of its steps */
};

static const struct hd_xop *ops_of(const struct suffix *v, size_t i, size_t *n)
{
	const struct hd_xevent *e = &v->r->ev->list[v->events[i]];

	*n = e->nops;
	return v->r->log->ops + e->first_op;
}

static uint32_t thread_of(const struct suffix *v, size_t i)
{
	return v->r->ev->names[v->r->ev->list[v->events[i]].thread];
}

static bool is_step_at(const struct suffix *v, size_t i)
{
	return is_step(v->r, &v->r->ev->list[v->events[i]]);
}

/* Could the sequence begin with the step of @thread that does @ops? *@at: the step that says so. */
static enum beginning may_begin(const struct suffix *v, uint32_t thread, const struct hd_xop *ops,
				size_t nops, size_t *at)
{
	size_t own = 0, met;
	bool does = !hd_xops_are_step(ops, nops);

	/* Who is equal to another one may have to be chosen before it does the same. */
	while (own < v->n && (thread_of(v, own) != thread || (does && is_step_at(v, own))))
		own++;
	for (met = 0; met < own; met++) {
		size_t n;
		const struct hd_xop *others = ops_of(v, met, &n);

		if (hd_xops_conflict(ops, nops, others, n))
			break;
	}
	*at = met < own ? met : own;
	if (own == v->n)
		return met < own ? NEVER : BESIDE;
	for (size_t i = 0; i < own; i++) {
		if (thread_of(v, i) != thread && is_before(v->r, v->events[i], v->events[own]))
			return NEVER;
	}
	*at = own;
	return FIRST;
}

static void remove_step(struct suffix *v, size_t at)
{
	memmove(v->events + at, v->events + at + 1, (v->n - at - 1) * sizeof(*v->events));
	v->n--;
	v->need -= v->need > at;
}

static void at_least(struct suffix *v, size_t need)
{
	if (need > v->need)
		v->need = need;
}

/*
 * Is there an execution with these steps among those that were tried, or will be? Those that only might be
 * (a longer sequence would tell) are looked at again in later executions.
 */
static bool sleeps(struct suffix *v, struct hd_xtreenode *node)
{
	for (size_t i = 0; i < node->nchoices; i++) {
		const struct hd_xchoice *c = &node->choices[i];
		bool asleep = c->asleep || (c->done && i != node->chosen);
		enum beginning b;
		size_t at;

		if (!asleep || !c->ops)
			continue;
		b = may_begin(v, c->thread, c->ops, c->nops, &at);
		if (b == FIRST)
			return true;
		if (b == BESIDE) {
			node->again = true;
			return true;
		}
		at_least(v, at + 1);
	}
	return false;
}

/* In a tree of equal threads: would the step that comes after @s, which does nothing, have to come later? */
static bool does_later(const struct suffix *v, const struct hd_xstep *s, size_t *at)
{
	while (s->first && hd_xops_are_step(s->ops, s->nops))
		s = s->first;
	return may_begin(v, s->thread, s->ops, s->nops, at) == NEVER;
}

/* Go from *@at (NULL: the beginning) to a step that covers the sequence, or a part of it; false: there is none. */
static bool descend(struct suffix *v, struct hd_xtreenode *node, struct hd_xstep **at)
{
	for (struct hd_xstep *s = *at ? (*at)->first : node->wakeup.first; s; s = s->next) {
		size_t met;
		enum beginning b = may_begin(v, s->thread, s->ops, s->nops, &met);

		size_t later;

		if (b == NEVER) {
			at_least(v, met + 1);
			continue;
		}
		if (v->late_steps && does_later(v, s, &later)) {
			at_least(v, later + 1);
			continue;
		}
		if (b == FIRST)
			remove_step(v, met);
		else
			node->again = true;
		*at = s;
		return true;
	}
	return false;
}

static bool add_sequence(struct suffix *v, struct hd_xtreenode *node, struct hd_xstep *after)
{
	while (v->late_steps && v->need && is_step_at(v, v->need - 1))
		v->need--;
	if (!after && v->need)
		hd_xtree_choice(node, thread_of(v, 0))->wanted = true;
	for (size_t i = 0; i < v->need; i++) {
		size_t n;
		const struct hd_xop *ops = ops_of(v, i, &n);

		after = hd_xwakeup_add(&node->wakeup, after, thread_of(v, i), ops, n);
		if (!after)
			return false;
	}
	return true;
}

static bool want_sequence(struct hd_xtree *tree, struct suffix *v, struct hd_xtreenode *node)
{
	struct hd_xstep *at = NULL;

	if (sleeps(v, node))
		return true;
	do {
		if (v->n == 0 || (at && !at->first))
			return true;
	} while (descend(v, node, &at));
	if (at || hd_xtree_choice(node, thread_of(v, 0)))
		return add_sequence(v, node, at);
	tree->strayed = true;
	return true;
}

/* ---- races -------------------------------------------------------------------- */

/*
 * The decision that began event @e. In a tree of equal threads that its thread was chosen just before and did nothing is one step
 * with it.
 */
static uint32_t node_of(const struct hd_xreversals *r, uint32_t e)
{
	const struct reversal one = { .ev = r->ev, .log = r->log };
	const struct hd_xevent *list = r->ev->list;

	while (r->tree->equal && e && list[e].node != HD_X_NO_NODE &&
	       list[e - 1].thread == list[e].thread && list[e - 1].node + 1 == list[e].node &&
	       is_step(&one, &list[e - 1]))
		e--;
	return list[e].node;
}

bool hd_xreversal_found(struct hd_xreversals *r, uint32_t earlier, uint32_t later, bool fresh)
{
	uint32_t k = node_of(r, earlier);
	struct reversal one = { r->ev, r->log, earlier, later, .by_graph = r->tree->by_graph };

	if (k ==
	    HD_X_NO_NODE) /* nobody else could have run: what came later was made possible by it */
		return true;
	if (!r->tree->sequences) {
		one.pending = is_pending(r->log, &r->ev->list[later]);
		if (!fresh)
			return true;
		return k < r->tree->base ? tell_want(&one, r->tree, k)
					 : want_first(&one, &r->tree->nodes[k]);
	}
	if (!fresh && !r->tree->nodes[k].again)
		return true;
	if (!HD_ROOM(r->races, r->cap, r->n + 1))
		return false;
	r->races[r->n++] = (struct hd_xrace){ earlier, later };
	return true;
}

static bool shares(const struct reversal *r, const struct hd_xevent *e, uint64_t object)
{
	for (uint32_t k = e->first_op; k < e->first_op + e->nops; k++) {
		if (r->log->ops[k].object == object && r->log->ops[k].kind == HD_X_LOCK_SHARED)
			return true;
	}
	return false;
}

/* Would @j, which shares a lock that the later event wants alone, still have it then? */
static bool is_in_the_way(const struct suffix *v, size_t at, const struct hd_xop *wants)
{
	const struct reversal *r = v->r;
	const struct hd_xevent *e = &r->ev->list[v->events[at]];
	bool has = false;

	if (!shares(r, e, wants->object))
		return false;
	for (size_t i = at; i < v->n && v->events[i] < r->later; i++) {
		const struct hd_xevent *o = &r->ev->list[v->events[i]];

		for (uint32_t k = o->first_op; o->thread == e->thread && k < o->first_op + o->nops;
		     k++) {
			const struct hd_xop *op = &r->log->ops[k];

			if (op->object == wants->object)
				has = op->kind == HD_X_LOCK_SHARED;
		}
	}
	return has;
}

/* Leave out event @at and what comes of it. */
static void leave_out(struct suffix *v, size_t at)
{
	uint32_t out = v->events[at];
	size_t n = at, needed = v->need;

	for (size_t i = at; i < v->n; i++) {
		if (v->events[i] == v->r->later || !hd_xevents_before(v->r->ev, out, v->events[i]))
			v->events[n++] = v->events[i];
		else
			v->need -= i < needed;
	}
	v->n = n;
}

/*
 * The later event may want a lock alone that others shared between the two events, and give back only after
 * the earlier one: they have to come after it.
 */
static void make_way(struct suffix *v)
{
	const struct reversal *r = v->r;
	const struct hd_xevent *later = &r->ev->list[r->later];

	for (uint32_t k = later->first_op; k < later->first_op + later->nops; k++) {
		const struct hd_xop *wants = &r->log->ops[k];

		if (wants->kind != HD_X_LOCK)
			continue;
		for (size_t i = 0; i < v->n && v->events[i] < r->later;) {
			if (is_in_the_way(v, i, wants)) {
				leave_out(v, i);
				i = 0;
			} else {
				i++;
			}
		}
	}
}

/*
 * That a thread is chosen and does nothing comes just before what it does next, or at the end: so a sequence does not
 * begin with a thread that sleeps until somebody is in conflict with that (symmetry.h).
 */
static void put_off_steps(struct suffix *v)
{
	for (size_t i = v->n; i-- > 0;) {
		uint32_t event = v->events[i];
		size_t to = i + 1;

		if (!is_step_at(v, i))
			continue;
		while (to < v->n && thread_of(v, to) != thread_of(v, i))
			to++;
		memmove(v->events + i, v->events + i + 1, (to - i - 1) * sizeof(*v->events));
		v->events[to - 1] = event;
	}
	for (size_t i = 0; i < v->n; i++) {
		if (v->events[i] == v->r->later)
			v->need = i + 1;
	}
}

/* What comes after the later event is at the end, where it is left out if nothing depends on it. */
static void gather(struct suffix *v)
{
	const struct reversal *r = v->r;

	for (uint32_t j = r->earlier + 1; j < r->ev->n; j++) {
		if (is_apart(r, j))
			v->events[v->n++] = j;
		if (j == r->later)
			v->need = v->n;
	}
	make_way(v);
	if (v->late_steps)
		put_off_steps(v);
}

bool hd_xreversal_all(struct hd_xreversals *r)
{
	bool ok = HD_ROOM(r->events, r->events_cap, r->ev->n + 1);

	for (size_t i = 0; ok && i < r->n; i++) {
		struct reversal one = { r->ev, r->log, r->races[i].earlier, r->races[i].later,
					.pending = false };
		struct suffix v = { .r = &one, .events = r->events, .late_steps = r->tree->equal };

		gather(&v);
		ok = want_sequence(r->tree, &v, &r->tree->nodes[node_of(r, one.earlier)]) &&
		     !hd_budget_late();
	}
	r->n = 0;
	return ok;
}

void hd_xreversal_free(struct hd_xreversals *r)
{
	free(r->races);
	free(r->events);
	*r = (struct hd_xreversals){ 0 };
}
