#include "from_trace.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/map.h"
#include "trace/event_meaning.h"
#include "cell_feed.h"
#include "sync_survey.h"
#include "thin.h"

/* Numbers for what is met, from 0 on, in a map that cannot hold 0. */
struct numbers {
	struct hd_map map;
	uint32_t n;
};

/* One use of a barrier. */
struct round {
	uint64_t last; /* location + 1 that the last who entered wrote; 0: none */
	bool leaving;
};

/* A wait for a condition. */
struct wait {
	uint32_t told; /* location: any notification writes 1, the wait's beginning 0 */
	uint32_t pair; /* location: 1 after the beginning, 2 after the notification that ended it */
	uint64_t object, mutex; /* the condition variable, and what it takes again at the end */
	uint64_t next;		/* wait + 1 for the same that is not notified yet */
	bool notified, told_once, over;
	uint8_t rule; /* enum hd_sync_rule */
};

struct builder {
	struct hd_instance *in;
	struct hd_errbuf *eb;
	size_t room, init_room;
	struct numbers cells, locks, chains, semaphores;
	struct hd_map atomic_cells;
	struct hd_map held; /* of locks: 1 + who holds it: 1 for a writer, 2 for each reader */
	struct hd_sync_survey survey;
	/* NULL: all of them are taken. */
	struct cell_use {
		struct hd_thin_use use;
		bool met;
	} * uses;
	uint32_t first; /* thread + 1 that did something first; 0: nobody has */
	uint32_t nforked;
	uint64_t first_fork; /* its number in the trace + 1 */
	bool forked_first, has_nameless;
	size_t permits_room;
	struct wait *waits; /* in the order of their beginnings, for each object in a row */
	size_t nwaits, waits_room;
	/* Waits + 1: an object's first and how many have begun; a thread's; first not notified */
	struct hd_map first_wait, begun, thread_wait, waiting;
	struct hd_map links; /* of each chain: how many operations there were */
	struct round *rounds;
	size_t nrounds, rounds_room;
	/* Numbers of rounds + 1: a barrier's now, and a thread's; before: see struct round */
	struct hd_map barrier_round, thread_round, before;
	struct hd_step *unseen; /* writes that wait for a thread to show them */
	size_t nunseen, unseen_room;
	uint64_t index;
	uint32_t thread, other; /* other: whom it forks or joins, plus 1 */
};

static enum hd_err no_memory(struct builder *b)
{
	return hd_fail(b->eb, HD_ERR_NOMEM, "out of memory for a run of %zu steps", b->in->nsteps);
}

static bool number_of(struct numbers *n, uint64_t key, uint32_t *out)
{
	uint64_t known = hd_map_get(&n->map, key);

	if (!known) {
		known = ++n->n;
		if (!hd_map_set(&n->map, key, known))
			return false;
	}
	*out = (uint32_t)(known - 1);
	return true;
}

static bool add_location(struct builder *b, uint32_t *out)
{
	*out = b->in->nlocations;
	if (!HD_ROOM(b->in->init, b->init_room, b->in->nlocations + 1))
		return false;
	b->in->init[b->in->nlocations++] = 0;
	return true;
}

/* A location for the thing with this number, made when it is met first. */
static bool location_of(struct builder *b, struct numbers *n, uint64_t key, uint32_t *out)
{
	uint64_t known = hd_map_get(&n->map, key);

	if (known) {
		*out = (uint32_t)(known - 1);
		return true;
	}
	return add_location(b, out) && hd_map_set(&n->map, key, (uint64_t)*out + 1);
}

static void count_thread(struct builder *b)
{
	if (b->thread >= b->in->nthreads)
		b->in->nthreads = b->thread + 1;
}

static bool emit(struct builder *b, uint8_t kind, uint32_t object, uint64_t value, bool shared)
{
	struct hd_instance *in = b->in;

	if (!HD_ROOM(in->steps, b->room, in->nsteps + 1))
		return false;
	count_thread(b);
	if ((kind == HD_STEP_FORK || kind == HD_STEP_JOIN) && object >= in->nthreads)
		in->nthreads = object + 1;
	in->steps[in->nsteps++] = (struct hd_step){ .kind = kind,
						    .shared = shared,
						    .thread = b->thread,
						    .object = object,
						    .value = value,
						    .index = b->index };
	return true;
}

/* A step that no event made. */
static bool emit_added(struct builder *b, uint8_t kind, uint32_t object, uint64_t value)
{
	if (!emit(b, kind, object, value, false))
		return false;
	b->in->steps[b->in->nsteps - 1].added = true;
	return true;
}

/* --- accesses --- */

/*
 * Locks of cells and locks of the program are told apart by the lowest bit, those of condition
 * variables by the highest: addresses are not that high.
 */
#define CONDITION_LOCK (1ull << 63)

static bool cell_lock(struct builder *b, uint32_t cell, uint8_t kind)
{
	uint32_t lock;

	return number_of(&b->locks, 2 * (uint64_t)cell + 1, &lock) && emit_added(b, kind, lock, 0);
}

static bool access_cell(struct builder *b, const struct hd_fed *fed, uint32_t x)
{
	bool writes = fed->op == HD_OP_WRITE || fed->op == HD_OP_ATOMIC_STORE;
	bool both = fed->op == HD_OP_ATOMIC_RMW;
	bool guarded = (writes || both) && hd_map_get(&b->atomic_cells, fed->cell + 1ull);

	if (guarded && !cell_lock(b, fed->cell, HD_STEP_ACQUIRE))
		return false;
	if (!writes && !emit(b, HD_STEP_READ, x, fed->value, false))
		return false;
	if ((writes || both) && !emit(b, HD_STEP_WRITE, x, both ? fed->value2 : fed->value, false))
		return false;
	return !guarded || cell_lock(b, fed->cell, HD_STEP_RELEASE);
}

/* A read of synchronisation: it is never free to differ. */
static bool emit_firm(struct builder *b, uint32_t location, uint64_t value, bool assumed)
{
	if (!emit(b, HD_STEP_READ, location, value, false))
		return false;
	b->in->steps[b->in->nsteps - 1].firm = true;
	b->in->steps[b->in->nsteps - 1].assumed = assumed;
	return true;
}

static bool flush_unseen(struct builder *b)
{
	for (size_t i = 0; i < b->nunseen; i++)
		if (!emit_added(b, HD_STEP_WRITE, b->unseen[i].object, b->unseen[i].value))
			return false;
	b->nunseen = 0;
	return true;
}

static bool keep_unseen(struct builder *b, uint32_t x, uint64_t value)
{
	if (!HD_ROOM(b->unseen, b->unseen_room, b->nunseen + 1))
		return false;
	b->unseen[b->nunseen++] = (struct hd_step){ .object = x, .value = value };
	return true;
}

static bool is_left_out(const struct builder *b, uint32_t cell)
{
	return b->uses && !b->uses[cell].use.sync;
}

static bool take_cell(struct builder *b, const struct hd_fed *fed)
{
	uint32_t x;

	if (is_left_out(b, fed->cell)) {
		if (fed->op != HD_OP_INIT)
			count_thread(b);
		return !fed->thread || flush_unseen(b);
	}
	if (!location_of(b, &b->cells, fed->cell + 1ull, &x))
		return false;
	if (fed->op == HD_OP_INIT) {
		b->in->init[x] = fed->value;
		return true;
	}
	if (!fed->thread)
		return keep_unseen(b, x, fed->value);
	return flush_unseen(b) && access_cell(b, fed, x);
}

/* --- synchronisation --- */

/* The n-th operation with an object reads n and writes n + 1. */
static bool take_chained(struct builder *b, uint64_t object)
{
	uint64_t n = hd_map_get(&b->links, object);
	uint32_t x;

	return location_of(b, &b->chains, object, &x) && hd_map_set(&b->links, object, n + 1) &&
	       emit_firm(b, x, n, true) && emit(b, HD_STEP_WRITE, x, n + 1, false);
}

static bool take_semaphore(struct builder *b, uint64_t object, bool post, uint32_t start)
{
	struct hd_instance *in = b->in;
	uint32_t x;

	if (!number_of(&b->semaphores, object, &x))
		return false;
	if (x == in->nsemaphores) {
		if (!HD_ROOM(in->permits, b->permits_room, x + 1))
			return false;
		in->permits[in->nsemaphores++] = start;
	}
	return emit(b, post ? HD_STEP_POST : HD_STEP_DOWN, x, 0, false);
}

/* Keys of locks that are none, beside those of what lies at the same address. */
#define HANDED_LOCK (1ull << 63)

/* A lock that others give back than those who took it. */
static bool take_handed(struct builder *b, const struct hd_event *ev, enum hd_lock_use use)
{
	uint64_t object = HANDED_LOCK | ev->addr;

	return use == HD_USE_HANDED ? take_semaphore(b, object, ev->op == HD_OP_RELEASE, 1)
				    : take_chained(b, object);
}

/* Isolated blocks are locks, too. */
static bool take_lock(struct builder *b, const struct hd_event *ev)
{
	uint8_t kind = ev->op == HD_OP_ACQUIRE ? HD_STEP_ACQUIRE : HD_STEP_RELEASE;
	bool shared = ev->arg & HD_LOCK_SHARED;
	uint64_t held = hd_map_get(&b->held, ev->addr), one = shared ? 2 : 1;
	enum hd_lock_use use = hd_sync_lock_use(&b->survey, ev->addr);
	uint32_t lock;

	if (ev->arg & HD_LOCK_AGAIN)
		return true;
	if (use != HD_USE_OWNED)
		return take_handed(b, ev, use);
	held = held ? held : 1;
	if (kind == HD_STEP_ACQUIRE)
		held += one;
	else if (held > one)
		held -= one;
	return number_of(&b->locks, 2 * (ev->addr + 1), &lock) &&
	       hd_map_set(&b->held, ev->addr, held) && emit(b, kind, lock, 0, shared);
}

/* A try finds the lock held. Where it is not, something else was the reason: nothing is asked. */
static bool take_failed_try(struct builder *b, const struct hd_event *ev)
{
	bool shared = ev->arg & HD_LOCK_SHARED;
	uint64_t held = hd_map_get(&b->held, ev->addr);
	uint32_t lock;

	if (held <= 1 || (shared && held % 2))
		return true;
	return number_of(&b->locks, 2 * (ev->addr + 1), &lock) &&
	       emit(b, HD_STEP_FAIL, lock, 0, shared);
}

static bool is_semaphore(const struct builder *b, uint64_t addr)
{
	const struct hd_sync_object *o = hd_sync_object(&b->survey, addr);

	return o && o->semaphore;
}

/* The end of the first, or the value of a future, is there for all who come after it. */
static bool take_once(struct builder *b, const struct hd_event *ev)
{
	bool reads = ev->op == HD_OP_ONCE_PASS || ev->op == HD_OP_FUTURE_GET;
	uint32_t x;

	if (ev->op == HD_OP_ONCE_BEGIN)
		return true;
	return location_of(b, &b->chains, ev->addr, &x) &&
	       (reads ? emit_firm(b, x, 1, false) : emit(b, HD_STEP_WRITE, x, 1, false));
}

/* --- conditions --- */

/* All waits for an object lie in a row, because a notification speaks to each of them. */
static bool make_waits(struct builder *b, uint64_t object, uint32_t n)
{
	if (hd_map_get(&b->first_wait, object))
		return true;
	if (!hd_map_set(&b->first_wait, object, b->nwaits + 1))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		struct wait w = { .object = object };

		if (!HD_ROOM(b->waits, b->waits_room, b->nwaits + 1) || !add_location(b, &w.told) ||
		    !add_location(b, &w.pair))
			return false;
		b->waits[b->nwaits++] = w;
	}
	return true;
}

static bool begin_wait(struct builder *b, const struct hd_event *ev, enum hd_sync_rule rule)
{
	uint64_t begun = hd_map_get(&b->begun, ev->addr);
	uint64_t k = hd_map_get(&b->first_wait, ev->addr) + begun;
	struct wait *w = &b->waits[k - 1];

	if (!hd_map_set(&b->begun, ev->addr, begun + 1) ||
	    !hd_map_set(&b->thread_wait, b->thread + 1ull, k))
		return false;
	w->mutex = ev->value;
	w->rule = (uint8_t)rule;
	w->next = hd_map_get(&b->waiting, ev->addr) - 1;
	if (w->next == UINT64_MAX)
		w->next = 0;
	if (!hd_map_set(&b->waiting, ev->addr, k + 1))
		return false;
	return (rule == HD_SYNC_PAIR || emit(b, HD_STEP_WRITE, w->told, 0, false)) &&
	       (rule == HD_SYNC_WAKE || emit(b, HD_STEP_WRITE, w->pair, 1, false));
}

static bool emit_over(struct builder *b, uint32_t location, uint64_t value, bool assumed)
{
	if (!emit_firm(b, location, value, assumed))
		return false;
	b->in->steps[b->in->nsteps - 1].added = true;
	return true;
}

/* @object is the condition variable or the mutex, whatever comes first after the notification. */
static bool end_wait(struct builder *b, uint64_t object)
{
	uint64_t k = hd_map_get(&b->thread_wait, b->thread + 1ull);
	struct wait *w = k ? &b->waits[k - 1] : NULL;

	if (!w || w->over || (w->object != object && w->mutex != object))
		return true;
	w->over = true;
	if (w->told_once && w->rule != HD_SYNC_PAIR && !emit_over(b, w->told, 1, false))
		return false;
	return !w->notified || w->rule == HD_SYNC_WAKE || emit_over(b, w->pair, 2, true);
}

/* Those that wait when the notification comes are told of it, and one or all of them end. */
static bool notify(struct builder *b, const struct hd_event *ev, enum hd_sync_rule rule, uint32_t n)
{
	uint64_t first = hd_map_get(&b->first_wait, ev->addr), target = 0, rest = 0;
	uint64_t k = hd_map_get(&b->waiting, ev->addr);

	if (ev->op == HD_OP_NOTIFY)
		target = hd_map_get(&b->thread_wait, ev->value);
	for (k = k ? k - 1 : 0; k;) {
		struct wait *w = &b->waits[k - 1];
		uint64_t next = w->next;

		w->told_once = true;
		if (ev->op == HD_OP_NOTIFY_ALL || k == target) {
			w->notified = true;
			if (rule != HD_SYNC_WAKE && (!emit_firm(b, w->pair, 1, true) ||
						     !emit(b, HD_STEP_WRITE, w->pair, 2, false)))
				return false;
		} else {
			w->next = rest;
			rest = k;
		}
		k = next;
	}
	for (uint32_t i = 0; rule != HD_SYNC_PAIR && i < n; i++)
		if (!emit(b, HD_STEP_WRITE, b->waits[first - 1 + i].told, 1, false))
			return false;
	return hd_map_set(&b->waiting, ev->addr, rest + 1);
}

static bool take_condition(struct builder *b, const struct hd_event *ev, enum hd_sync_rule rule,
			   uint32_t nwaits)
{
	uint32_t lock = 0;
	bool ok;

	if (!make_waits(b, ev->addr, nwaits))
		return false;
	if (ev->op == HD_OP_WAKE)
		return end_wait(b, ev->addr);
	/* No wait begins while a notification is on its way to others. */
	ok = nwaits < 2 || (number_of(&b->locks, CONDITION_LOCK | ev->addr, &lock) &&
			    emit_added(b, HD_STEP_ACQUIRE, lock, 0));
	ok = ok && (ev->op == HD_OP_WAIT ? begin_wait(b, ev, rule) : notify(b, ev, rule, nwaits));
	return ok && (nwaits < 2 || emit_added(b, HD_STEP_RELEASE, lock, 0));
}

/* By the rule of the object, if its operations followed one. */
static bool take_synchronisation(struct builder *b, const struct hd_event *ev)
{
	const struct hd_sync_object *o = hd_sync_object(&b->survey, ev->addr);
	enum hd_sync_rule rule = o ? hd_sync_rule(o) : HD_SYNC_CHAIN;

	switch (rule) {
	case HD_SYNC_COUNT:
		return take_semaphore(b, ev->addr, ev->op == HD_OP_SEM_POST, o->start);
	case HD_SYNC_ONCE:
		return take_once(b, ev);
	case HD_SYNC_WAKE:
	case HD_SYNC_PAIR:
	case HD_SYNC_WAKE_PAIR:
		return take_condition(b, ev, rule, o->waits);
	default:
		return take_chained(b, ev->addr);
	}
}

/* --- barriers --- */

/* Whoever enters after the first has left is in the next round. */
static bool enter_barrier(struct builder *b, uint64_t barrier)
{
	uint64_t k = hd_map_get(&b->barrier_round, barrier);
	struct round *r;
	uint32_t x;

	if (!k || b->rounds[k - 1].leaving) {
		if (!HD_ROOM(b->rounds, b->rounds_room, b->nrounds + 1))
			return false;
		b->rounds[b->nrounds] = (struct round){ 0 };
		k = ++b->nrounds;
		if (!hd_map_set(&b->barrier_round, barrier, k))
			return false;
	}
	r = &b->rounds[k - 1];
	if (!add_location(b, &x) || !emit(b, HD_STEP_WRITE, x, 1, false) ||
	    !hd_map_set(&b->thread_round, b->thread + 1ull, k) ||
	    (r->last && !hd_map_set(&b->before, x + 1ull, r->last)))
		return false;
	r->last = x + 1ull;
	return true;
}

static bool leave_barrier(struct builder *b, uint64_t barrier)
{
	uint64_t k = hd_map_get(&b->thread_round, b->thread + 1ull);
	const struct hd_sync_object *o = hd_sync_object(&b->survey, barrier);
	bool mixed = !o || hd_sync_rule(o) != HD_SYNC_ROUND;

	if (!k)
		return true;
	b->rounds[k - 1].leaving = true;
	for (uint64_t x = b->rounds[k - 1].last; x; x = hd_map_get(&b->before, x))
		if (!emit_firm(b, (uint32_t)(x - 1), 1, mixed))
			return false;
	return true;
}

/* An event that means something new is to be thought of here. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"
#pragma GCC diagnostic error "-Wswitch-enum"

static bool take_lock_event(struct builder *b, const struct hd_event *ev)
{
	switch (hd_op_way(ev->op)) {
	case HD_WAY_TAKES:
		return end_wait(b, ev->addr) && take_lock(b, ev);
	case HD_WAY_GIVES:
		return take_lock(b, ev);
	case HD_WAY_NONE:
		return is_semaphore(b, ev->addr) ? take_chained(b, ev->addr)
						 : take_failed_try(b, ev);
	case HD_WAY_RENEWS:
		return true;
	}
	return true;
}

static bool take_code_event(struct builder *b, const struct hd_event *ev)
{
	if (ev->op != HD_OP_BEGIN && ev->op != HD_OP_END)
		return true;
	return emit(b, ev->op == HD_OP_BEGIN ? HD_STEP_BEGIN : HD_STEP_END, 0, 0, false);
}

static bool take_event(struct builder *b, const struct hd_event *ev)
{
	bool gives = hd_op_way(ev->op) == HD_WAY_GIVES;

	switch (hd_op_about(ev->op)) {
	case HD_ABOUT_CHILD:
		return emit(b, gives ? HD_STEP_FORK : HD_STEP_JOIN, b->other - 1, 0, false);
	case HD_ABOUT_HEAP:
		return emit(b, HD_STEP_OTHER, 0, 0, false);
	case HD_ABOUT_LOCK:
		return take_lock_event(b, ev);
	case HD_ABOUT_BARRIER:
		return gives ? enter_barrier(b, ev->addr) : leave_barrier(b, ev->addr);
	case HD_ABOUT_COND:
	case HD_ABOUT_SEM:
	case HD_ABOUT_ONCE:
	case HD_ABOUT_MARK:
	case HD_ABOUT_FUTURE:
	case HD_ABOUT_PHASER:
		return take_synchronisation(b, ev);
	case HD_ABOUT_CODE:
		return take_code_event(b, ev);
	case HD_ABOUT_TEAM:
		return ev->op != HD_OP_CLAIM || take_synchronisation(b, ev);
	case HD_ABOUT_NOTHING:
	case HD_ABOUT_THREAD:
	case HD_ABOUT_MEMORY: /* cells are taken apart */
	case HD_ABOUT_ATOMIC:
	case HD_ABOUT_FENCE:
	case HD_ABOUT_TASK:
	case HD_ABOUT_RUN:
	case HD_ABOUT_FINDING:
		return true;
	}
	return true;
}

#pragma GCC diagnostic pop

/* Who has to do with a cell: as hd_instance_thin() sees it of the steps that are made of it. */
static void survey_cell(struct builder *b, const struct hd_fed *fed)
{
	struct cell_use *u = &b->uses[fed->cell];
	bool reads = fed->op != HD_OP_WRITE && fed->op != HD_OP_ATOMIC_STORE;

	u->met = true;
	if (fed->op == HD_OP_INIT)
		return;
	if (!fed->thread) {
		u->use.sync = true;
		return;
	}
	if (reads)
		hd_thin_note(&u->use, fed->thread - 1, false, fed->index);
	if (!reads || fed->op == HD_OP_ATOMIC_RMW)
		hd_thin_note(&u->use, fed->thread - 1, true, fed->index);
}

static void survey_threads(struct builder *b, const struct hd_fed *fed)
{
	if (!fed->thread)
		return;
	b->has_nameless |= fed->ev && !fed->ev->thread;
	if (!b->first)
		b->first = fed->thread;
	if (fed->op != HD_OP_FORK)
		return;
	b->forked_first |= fed->other == b->first;
	if (!b->nforked++)
		b->first_fork = fed->index + 1;
}

/* First pass: which cells are changed in one go, what objects of synchronisation are. */
static enum hd_err survey(void *arg, const struct hd_fed *fed, struct hd_errbuf *eb)
{
	struct builder *b = arg;
	bool ok = true;

	survey_threads(b, fed);
	if (fed->cell != HD_NO_CELL && b->uses)
		survey_cell(b, fed);
	if (fed->cell != HD_NO_CELL && fed->op == HD_OP_ATOMIC_RMW)
		ok = hd_map_set(&b->atomic_cells, fed->cell + 1ull, 1);
	else if (fed->cell == HD_NO_CELL && fed->thread)
		ok = hd_sync_survey_take(&b->survey, fed->ev);
	return ok ? HD_OK : no_memory(b);
}

static enum hd_err take(void *arg, const struct hd_fed *fed, struct hd_errbuf *eb)
{
	struct builder *b = arg;
	bool ok;

	if (fed->thread) {
		b->thread = fed->thread - 1;
		b->index = fed->index;
		b->other = fed->other;
	}
	if (fed->cell != HD_NO_CELL)
		ok = take_cell(b, fed);
	else
		ok = !fed->thread || (flush_unseen(b) && take_event(b, fed->ev));
	return ok ? HD_OK : no_memory(b);
}

static void free_builder(struct builder *b)
{
	struct hd_map *maps[] = { &b->cells.map,      &b->locks.map,	 &b->chains.map,
				  &b->semaphores.map, &b->atomic_cells,	 &b->held,
				  &b->links,	      &b->barrier_round, &b->thread_round,
				  &b->before,	      &b->first_wait,	 &b->begun,
				  &b->thread_wait,    &b->waiting };

	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		hd_map_free(maps[i]);
	hd_sync_survey_free(&b->survey);
	free(b->rounds);
	free(b->unseen);
	free(b->waits);
	free(b->uses);
}

static bool begin_thin(struct builder *b, size_t ncells)
{
	b->uses = malloc((ncells + 1) * sizeof(*b->uses));
	for (size_t i = 0; b->uses && i < ncells; i++)
		b->uses[i] = (struct cell_use){ .use = HD_THIN_UNUSED };
	return b->uses;
}

/*
 * After the survey: from now on `sync` says that a cell is taken. Fewer are left out here than hd_instance_thin() would,
 * never more: it counts the threads that have steps.
 */
static uint32_t choose_cells(struct builder *b, const struct hd_feed *f)
{
	bool alone =
		b->nforked && !b->forked_first && b->nforked + 1 >= f->highest + b->has_nameless;
	uint32_t nout = 0;

	for (size_t i = 0; i < f->ncells; i++) {
		struct cell_use *u = &b->uses[i];

		u->use.sync = hd_thin_matters(&u->use, b->first - 1, alone ? b->first_fork - 1 : 0);
		nout += u->met && !u->use.sync;
	}
	return nout;
}

static enum hd_err build(struct builder *b, struct hd_feed *f, uint32_t *nout)
{
	/* A damaged file gives the same error in the second pass, after what is before it. */
	enum hd_err err = hd_feed_pass(f, survey, b, b->eb);

	if (err == HD_ERR_NOMEM || err == HD_ERR_STOPPED)
		return err;
	*nout = b->uses ? choose_cells(b, f) : 0;
	return hd_feed_pass(f, take, b, b->eb);
}

static enum hd_err make(struct hd_instance *out, struct hd_trace *t, bool thin, uint32_t *nout,
			struct hd_errbuf *eb)
{
	struct builder b = { .in = out, .eb = eb };
	struct hd_feed f;
	enum hd_err err = hd_feed_open(&f, t, eb);

	*out = (struct hd_instance){ 0 };
	if (!err && thin && !begin_thin(&b, f.ncells))
		err = no_memory(&b);
	if (!err)
		err = build(&b, &f, nout);
	out->nlocks = b.locks.n;
	free_builder(&b);
	hd_feed_close(&f);
	if (err == HD_ERR_NOMEM || err == HD_ERR_STOPPED)
		hd_instance_free(out);
	return err;
}

enum hd_err hd_instance_from_trace(struct hd_instance *out, struct hd_trace *t,
				   struct hd_errbuf *eb)
{
	uint32_t nout;

	return make(out, t, false, &nout, eb);
}

enum hd_err hd_instance_thin_from_trace(struct hd_instance *out, uint32_t *nlocations,
					struct hd_trace *t, struct hd_errbuf *eb)
{
	uint32_t nout = 0;
	enum hd_err err = make(out, t, true, &nout, eb);

	*nlocations = out->nlocations + nout;
	if (err != HD_ERR_NOMEM && err != HD_ERR_STOPPED && hd_instance_thin(out)) {
		hd_instance_free(out);
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory for a run");
	}
	return err;
}

/* The first step of the event or of a later one. Events come in order. */
static size_t steps_from(const struct hd_instance *in, uint64_t index)
{
	size_t low = 0, high = in->nsteps;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (in->steps[mid].index < index)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool hd_instance_entry_of(const struct hd_instance *in, uint64_t index, uint32_t *step)
{
	size_t i = steps_from(in, index);

	*step = (uint32_t)i;
	return i < in->nsteps && in->steps[i].index == index;
}

bool hd_instance_steps_of(const struct hd_instance *in, uint64_t index, uint32_t *first,
			  uint32_t *last)
{
	uint32_t entry;
	bool own = false;

	if (!hd_instance_entry_of(in, index, &entry))
		return false;
	*first = *last = entry;
	for (size_t i = entry; i < in->nsteps && in->steps[i].index == index; i++) {
		if (in->steps[i].added)
			continue;
		if (!own)
			*first = (uint32_t)i;
		*last = (uint32_t)i;
		own = true;
	}
	return own;
}
