#include "events.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/budget.h"
#include "common/hash.h"

#define LOOK 256 /* events between looks at the budget */

/* An operation on an object, and the one before it. */
struct hd_xtouch {
	uint32_t event, before; /* before: index + 1; 0: none */
	uint32_t op;		/* its number, from 0 */
};

struct hd_xobject {
	uint64_t key;  /* object + 1 */
	uint32_t last; /* touch + 1 */
};

/* ---- threads and events --------------------------------------------------- */

static bool know_threads(struct hd_xevents *ev, const struct hd_xlog *log)
{
	size_t before = ev->threads_cap;

	ev->nthreads = 0;
	for (size_t i = 0; i < log->nops; i++) {
		uint32_t name = log->ops[i].thread;
		size_t k = 0;

		while (k < ev->nthreads && ev->names[k] != name)
			k++;
		if (k < ev->nthreads)
			continue;
		if (!HD_ROOM(ev->names, ev->names_cap, k + 1))
			return false;
		ev->names[ev->nthreads++] = name;
	}
	ev->stride = ev->nthreads;
	if (!HD_ROOM(ev->last_of, ev->threads_cap, ev->nthreads + 1))
		return false;
	if (ev->threads_cap != before || !ev->forked_by) {
		free(ev->forked_by);
		ev->forked_by = malloc(ev->threads_cap * sizeof(*ev->forked_by));
		if (!ev->forked_by)
			return false;
	}
	memset(ev->last_of, 0, ev->threads_cap * sizeof(*ev->last_of));
	memset(ev->forked_by, 0, ev->threads_cap * sizeof(*ev->forked_by));
	return true;
}

static uint32_t dense(const struct hd_xevents *ev, uint32_t name)
{
	for (uint32_t i = 0; i < ev->nthreads; i++) {
		if (ev->names[i] == name)
			return i;
	}
	return UINT32_MAX; /* it never did anything */
}

static bool add_event(struct hd_xevents *ev, uint32_t thread, uint32_t node, uint32_t first_op)
{
	if (!HD_ROOM(ev->list, ev->cap, ev->n + 1))
		return false;
	ev->list[ev->n++] =
		(struct hd_xevent){ .thread = thread, .node = node, .first_op = first_op };
	return true;
}

/* Cut operations [from, from + n) into events of one thread each; @node began the first. */
static bool cut(struct hd_xevents *ev, const struct hd_xlog *log, uint32_t from, uint32_t n,
		uint32_t node, bool goes_on)
{
	for (uint32_t i = from; i < from + n; i++) {
		uint32_t t = dense(ev, log->ops[i].thread);
		struct hd_xevent *last = ev->n ? &ev->list[ev->n - 1] : NULL;
		bool same =
			last && last->thread == t && (i > from || goes_on) && !log->ops[i].begins;

		if (!same) {
			bool chosen = node != HD_X_NO_NODE &&
				      log->nodes[node].chosen == log->ops[i].thread && i == from;

			if (!add_event(ev, t, chosen ? node : HD_X_NO_NODE, i))
				return false;
			last = &ev->list[ev->n - 1];
		}
		last->nops++;
	}
	return true;
}

static bool make_events(struct hd_xevents *ev, const struct hd_xlog *log)
{
	uint32_t before = log->nnodes ? log->nodes[0].first_op : (uint32_t)log->nops;

	ev->n = 0;
	if (!cut(ev, log, 0, before, HD_X_NO_NODE, false))
		return false;
	for (uint32_t k = 0; k < log->nnodes; k++) {
		const struct hd_xnode *node = &log->nodes[k];
		bool pick = node->why == HD_X_PICK;

		if (!cut(ev, log, node->first_op, node->nops, pick ? HD_X_NO_NODE : k, pick))
			return false;
	}
	return HD_ROOM(ev->clocks, ev->clocks_cap, ev->n * ev->stride + 1);
}

/* ---- objects -------------------------------------------------------------- */

static struct hd_xobject *object_slot(const struct hd_xevents *ev, uint64_t key)
{
	size_t mask = ev->objects_cap - 1;
	size_t i = hd_hash_place(key, mask);

	while (ev->objects[i].key && ev->objects[i].key != key)
		i = (i + 1) & mask;
	return &ev->objects[i];
}

static bool rehash(struct hd_xevents *ev)
{
	struct hd_xobject *old = ev->objects;
	size_t n = ev->objects_cap;

	ev->objects_cap = n ? 2 * n : 256;
	ev->objects = calloc(ev->objects_cap, sizeof(*ev->objects));
	if (!ev->objects) {
		ev->objects = old;
		ev->objects_cap = n;
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		if (old[i].key)
			*object_slot(ev, old[i].key) = old[i];
	}
	free(old);
	return true;
}

/*
 * Of additions one after the other, only the last of each thread is kept: whoever comes after that one comes
 * after those before it. So there are never more of them than threads.
 */
static void forget_earlier(struct hd_xevents *ev, const struct hd_xlog *log, struct hd_xobject *o,
			   const struct hd_xop *op, uint32_t event)
{
	for (uint32_t *link = &o->last; *link;) {
		struct hd_xtouch *t = &ev->touches[*link - 1];

		if (!hd_xop_add_up(&log->ops[t->op], op))
			return;
		if (ev->list[t->event].thread == ev->list[event].thread) {
			*link = t->before;
			return;
		}
		link = &t->before;
	}
}

static bool touch(struct hd_xevents *ev, const struct hd_xlog *log, const struct hd_xop *op,
		  uint32_t event)
{
	struct hd_xobject *o;

	if (2 * ev->nobjects >= ev->objects_cap && !rehash(ev))
		return false;
	if (!HD_ROOM(ev->touches, ev->touches_cap, ev->ntouches + 1))
		return false;
	o = object_slot(ev, op->object + 1);
	if (!o->key) {
		o->key = op->object + 1;
		ev->nobjects++;
	}
	if (op->kind == HD_X_ADD)
		forget_earlier(ev, log, o, op, event);
	ev->touches[ev->ntouches] = (struct hd_xtouch){ event, o->last, (uint32_t)(op - log->ops) };
	o->last = (uint32_t)++ev->ntouches;
	return true;
}

/* ---- order ---------------------------------------------------------------- */

struct ordering {
	struct hd_xevents *ev;
	const struct hd_xlog *log;
	hd_xrace_fn *race;
	void *arg;
	uint32_t event;
	uint32_t *clock; /* of the event, so far */
	/* What the event waited for at locks: joined when its other conflicts are known. */
	uint32_t *after;
	bool waited;
	bool pending; /* the event did not happen */
	bool fresh;
};

static void join(struct ordering *o, uint32_t *into, uint32_t event)
{
	const uint32_t *c = hd_xevents_clock(o->ev, event);

	for (size_t t = 0; t < o->ev->stride; t++) {
		if (c[t] > into[t])
			into[t] = c[t];
	}
}

static void wait_for(struct ordering *o, uint32_t event)
{
	join(o, o->after, event);
	o->waited = true;
}

/*
 * @e conflicts with the event at hand, and could come after it if nothing else orders them.
 * @waits: the event was not possible all the time. So what is ordered before it by those that
 * made it possible may still change places with it.
 */
static bool meet(struct ordering *o, uint32_t e, bool waits)
{
	const struct hd_xevent *event = &o->ev->list[e];

	if (e == o->event || o->clock[event->thread] >= event->number)
		return true;
	if (!o->race(o->arg, e, o->event, o->fresh))
		return false;
	if (waits)
		wait_for(o, e);
	else
		join(o, o->clock, e);
	return true;
}

static const struct hd_xop *op_of(const struct ordering *o, const struct hd_xtouch *t)
{
	return &o->log->ops[t->op];
}

/* The last touch of the object of @op + 1; 0: there is none. */
static uint32_t last_touch(const struct ordering *o, const struct hd_xop *op)
{
	return o->ev->objects_cap ? object_slot(o->ev, op->object + 1)->last : 0;
}

/* Whoever takes it after this could not before. */
static bool is_unlock(uint8_t kind)
{
	return kind == HD_X_UNLOCK || kind == HD_X_UNLOCK_SHARED || kind == HD_X_GIVE;
}

static bool is_lock(uint8_t kind)
{
	return kind == HD_X_LOCK || kind == HD_X_LOCK_SHARED || kind == HD_X_TAKE;
}

/* Did somebody have the lock alone after touch @i of it? */
static bool was_held(const struct ordering *o, uint32_t i)
{
	const struct hd_xtouch *touches = o->ev->touches;

	while (i && op_of(o, &touches[i - 1])->kind == HD_X_TRY)
		i = touches[i - 1].before;
	return i && op_of(o, &touches[i - 1])->kind == HD_X_LOCK;
}

/* Is @old of a round before the last one? Then those of the last one came after it. */
static bool is_rounds_ago(const struct hd_xop *old, const struct hd_xop *op)
{
	unsigned ago = (op->bytes + 255u - old->bytes) % 255u;

	return hd_xop_arrives(old) && hd_xop_arrives(op) && ago > 1 && ago < 128;
}

/* All that arrived in this round of the barrier. */
static void join_round(struct ordering *o, const struct hd_xop *op)
{
	bool met = false;

	for (uint32_t i = last_touch(o, op); i;) {
		const struct hd_xtouch *t = &o->ev->touches[i - 1];
		const struct hd_xop *old = op_of(o, t);

		i = t->before;
		if (hd_xop_arrives(old) && old->bytes == op->bytes)
			join(o, o->clock, t->event);
		else if (met)
			break;
		met |= old->bytes == op->bytes;
	}
}

/*
 * Meet what was done to the object before, newest first, so that who is ordered
 * through another one is not met. A write to all these bytes comes after all that is older; so does an addition,
 * but for other additions, and these come before what else was met since.
 */
static bool meet_object(struct ordering *o, const struct hd_xop *op)
{
	struct hd_xevents *ev = o->ev;
	bool locks = is_lock(op->kind);
	bool waits = o->pending || op->resumed;
	bool met_add = false, met_other = false;
	uint32_t own = ev->list[o->event].thread;

	for (uint32_t i = last_touch(o, op); i;) {
		const struct hd_xtouch *t = &ev->touches[i - 1];
		const struct hd_xop *old = op_of(o, t);
		bool adds = old->kind == HD_X_ADD;

		i = t->before;
		/* What is older than something that all additions of these bytes are in an order with. */
		if (is_rounds_ago(old, op) ||
		    (adds ? met_other && old->bytes == op->bytes
			  : met_add && (old->bytes & op->bytes) == op->bytes))
			break;
		if (!hd_xop_conflict(old, op) || hd_xop_same_round(old, op))
			continue;
		if (locks && is_unlock(old->kind)) {
			wait_for(o, t->event);
			continue; /* who took what it gave back is the one to change places with */
		}
		if (locks && old->kind == HD_X_TRY &&
		    (op->kind != HD_X_LOCK_SHARED || was_held(o, i)))
			continue; /* the lock was held then: it cannot be taken in that place */
		if (!meet(o, t->event, waits))
			return false;
		if (!waits && old->bytes == op->bytes) {
			met_add |= adds;
			met_other |= old->kind == HD_X_READ || old->kind == HD_X_WRITE;
		}
		if (!hd_xop_is_shared(old) && !hd_xop_arrives(old) && old->kind != HD_X_TRY &&
		    !adds && (old->bytes & op->bytes) == op->bytes &&
		    (!waits || ev->list[t->event].thread == own))
			break;
	}
	return o->pending || touch(ev, o->log, op, o->event);
}

/* ---- by what is read from whom ------------------------------------------------ */

/* An earlier operation might have read from @op; or, @vies, @op from what that one has read. */
static bool offer(struct ordering *o, const struct hd_xop *op, uint32_t last, bool vies)
{
	const struct hd_xevents *ev = o->ev;

	for (uint32_t i = last; i; i = ev->touches[i - 1].before) {
		const struct hd_xtouch *t = &ev->touches[i - 1];
		const struct hd_xevent *e = &ev->list[t->event];
		const struct hd_xop *old = op_of(o, t);
		bool other = vies ? hd_xop_vies(op, old) : hd_xop_offers(op, old);

		if (other && t->event != o->event && o->clock[e->thread] < e->number &&
		    !o->race(o->arg, t->event, o->event, o->fresh))
			return false;
	}
	return true;
}

static bool meet_weak(struct ordering *o, const struct hd_xop *op)
{
	struct hd_xevents *ev = o->ev;
	uint32_t last = last_touch(o, op);

	for (uint32_t i = last; i; i = ev->touches[i - 1].before) {
		const struct hd_xtouch *t = &ev->touches[i - 1];
		const struct hd_xop *old = op_of(o, t);

		if (!old->weak && hd_xop_conflict(old, op) && !meet(o, t->event, false))
			return false;
	}
	if (!offer(o, op, last, true))
		return false;
	for (uint32_t i = op->source ? last : 0; i; i = ev->touches[i - 1].before) {
		if (ev->touches[i - 1].op + 1 == op->source)
			join(o, o->clock, ev->touches[i - 1].event);
	}
	return offer(o, op, last, false) && touch(ev, o->log, op, o->event);
}

/* The last thing that each thread did, if it concerns others. */
static bool meet_all(struct ordering *o, const struct hd_xop *op)
{
	for (uint32_t i = o->event; i-- > 0;) {
		const struct hd_xevent *e = &o->ev->list[i];

		if (hd_xops_conflict(op, 1, o->log->ops + e->first_op, e->nops) &&
		    !meet(o, i, false))
			return false;
	}
	return true;
}

static bool order_op(struct ordering *o, const struct hd_xop *op)
{
	uint32_t other;

	switch (op->kind) {
	case HD_X_FORK:
		other = dense(o->ev, (uint32_t)op->object);
		if (other != UINT32_MAX)
			o->ev->forked_by[other] = o->event + 1;
		return true;
	case HD_X_JOIN:
		other = dense(o->ev, (uint32_t)op->object);
		if (other != UINT32_MAX && o->ev->last_of[other])
			join(o, o->clock, o->ev->last_of[other] - 1);
		return true;
	case HD_X_LEAVE:
		join_round(o, op);
		return true;
	case HD_X_END:
		return meet_all(o, op) && touch(o->ev, o->log, op, o->event);
	case HD_X_STEP:
		return true;
	default:
		return op->weak ? meet_weak(o, op) : meet_object(o, op);
	}
}

static bool keep_own(struct ordering *o, struct hd_xevent *e)
{
	struct hd_xevents *ev = o->ev;

	if (!HD_ROOM(ev->own_clocks, ev->own_cap, (ev->nown + 1) * ev->stride))
		return false;
	memcpy(ev->own_clocks + ev->nown * ev->stride, o->clock, ev->stride * sizeof(*o->clock));
	e->own = (uint32_t)++ev->nown;
	return true;
}

static bool order_event(struct ordering *o, uint32_t i)
{
	struct hd_xevents *ev = o->ev;
	struct hd_xevent *e = &ev->list[i];
	uint32_t last = ev->last_of[e->thread];

	o->event = i;
	o->clock = ev->clocks + (size_t)i * ev->stride;
	o->waited = false;
	o->pending = e->first_op >= o->log->nops - o->log->npending;
	memset(o->clock, 0, ev->stride * sizeof(*o->clock));
	memset(o->after, 0, ev->stride * sizeof(*o->after));
	if (last) {
		e->number = ev->list[last - 1].number + 1;
		join(o, o->clock, last - 1);
	} else {
		e->number = 1;
		if (ev->forked_by[e->thread])
			join(o, o->clock, ev->forked_by[e->thread] - 1);
	}
	o->clock[e->thread] = e->number;
	for (uint32_t k = e->first_op; k < e->first_op + e->nops; k++) {
		if (!order_op(o, &o->log->ops[k]))
			return false;
	}
	if (o->waited && !keep_own(o, e))
		return false;
	for (size_t t = 0; o->waited && t < ev->stride; t++) {
		if (o->after[t] > o->clock[t])
			o->clock[t] = o->after[t];
	}
	ev->last_of[e->thread] = i + 1;
	return true;
}

bool hd_xevents_order(struct hd_xevents *ev, const struct hd_xlog *log, uint32_t from,
		      hd_xrace_fn *race, void *arg)
{
	struct ordering o = { .ev = ev, .log = log, .race = race, .arg = arg };
	uint32_t first_new = from < log->nnodes ? log->nodes[from].first_op : (uint32_t)log->nops;
	bool ok = know_threads(ev, log) && make_events(ev, log);

	/* What a weak operation does is decided after it was told. */
	if (from < log->nnodes && log->nodes[from].why == HD_X_PICK && first_new)
		first_new--;
	ev->nobjects = ev->ntouches = ev->nown = 0;
	if (ev->objects)
		memset(ev->objects, 0, ev->objects_cap * sizeof(*ev->objects));
	o.after = ok ? malloc((ev->stride + 1) * sizeof(*o.after)) : NULL;
	ok = ok && o.after;
	for (uint32_t i = 0; ok && i < ev->n; i++) {
		o.fresh = ev->list[i].first_op + ev->list[i].nops > first_new;
		ok = order_event(&o, i) && (i % LOOK || !hd_budget_late());
	}
	free(o.after);
	return ok;
}

void hd_xevents_free(struct hd_xevents *ev)
{
	free(ev->list);
	free(ev->clocks);
	free(ev->own_clocks);
	free(ev->names);
	free(ev->last_of);
	free(ev->forked_by);
	free(ev->objects);
	free(ev->touches);
	*ev = (struct hd_xevents){ 0 };
}
