#include "from_trace.h"

#include <stdlib.h>

#include "cell_feed.h"
#include "trace/trace_maps.h"

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

struct builder {
	struct hd_instance *in;
	struct hd_errbuf *eb;
	size_t room, init_room;
	struct numbers cells, locks, chains, tries;
	struct hd_map atomic_cells, tried_locks;
	struct hd_map held; /* of tried locks: 1 if held, 2 if not */
	struct hd_map links; /* of each chain: how many operations there were */
	struct round *rounds;
	size_t nrounds, rounds_room;
	/* Numbers of rounds + 1: a barrier's now, and a thread's; before: see struct round */
	struct hd_map barrier_round, thread_round, before;
	struct hd_step *unseen; /* writes that wait for a thread to show them */
	size_t nunseen, unseen_room;
	uint64_t index;
	uint32_t thread;
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
	if (!hd_grow((void **)&b->in->init, &b->init_room, b->in->nlocations, sizeof(*b->in->init)))
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

static bool emit(struct builder *b, uint8_t kind, uint32_t object, uint64_t value, bool shared)
{
	struct hd_instance *in = b->in;

	if (!hd_grow((void **)&in->steps, &b->room, in->nsteps, sizeof(*in->steps)))
		return false;
	if (b->thread >= in->nthreads)
		in->nthreads = b->thread + 1;
	if ((kind == HD_STEP_FORK || kind == HD_STEP_JOIN) && object >= in->nthreads)
		in->nthreads = object + 1;
	in->steps[in->nsteps++] = (struct hd_step){ .kind = kind, .shared = shared,
						    .thread = b->thread, .object = object,
						    .value = value, .index = b->index };
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

/* Locks of cells and locks of the program are told apart by the lowest bit. */
static bool cell_lock(struct builder *b, uint32_t cell, uint8_t kind)
{
	uint32_t lock;

	return number_of(&b->locks, 2 * (uint64_t)cell + 1, &lock) &&
	       emit_added(b, kind, lock, 0);
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
static bool emit_firm(struct builder *b, uint32_t location, uint64_t value)
{
	if (!emit(b, HD_STEP_READ, location, value, false))
		return false;
	b->in->steps[b->in->nsteps - 1].firm = true;
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
	if (!hd_grow((void **)&b->unseen, &b->unseen_room, b->nunseen, sizeof(*b->unseen)))
		return false;
	b->unseen[b->nunseen++] = (struct hd_step){ .object = x, .value = value };
	return true;
}

static bool take_cell(struct builder *b, const struct hd_fed *fed)
{
	uint32_t x;

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

static bool take_lock(struct builder *b, const struct hd_event *ev)
{
	uint8_t kind = ev->op == HD_OP_ACQUIRE ? HD_STEP_ACQUIRE : HD_STEP_RELEASE;
	bool shared = ev->arg & HD_LOCK_SHARED;
	bool tried = !shared && hd_map_get(&b->tried_locks, ev->addr);
	uint32_t lock, held = 0;

	if (ev->arg & HD_LOCK_AGAIN)
		return true;
	if (!number_of(&b->locks, 2 * (ev->addr + 1), &lock) ||
	    (tried && !location_of(b, &b->tries, ev->addr, &held)))
		return false;
	if (tried && !hd_map_set(&b->held, ev->addr, kind == HD_STEP_ACQUIRE ? 1 : 2))
		return false;
	if (kind == HD_STEP_RELEASE && tried && !emit_added(b, HD_STEP_WRITE, held, 0))
		return false;
	return emit(b, kind, lock, 0, shared) &&
	       (kind == HD_STEP_RELEASE || !tried || emit_added(b, HD_STEP_WRITE, held, 1));
}

/* Held by a reader is not said anywhere: then nothing is asked for. */
static bool take_failed_try(struct builder *b, const struct hd_event *ev)
{
	uint32_t held;

	if (hd_map_get(&b->held, ev->addr) != 1)
		return true;
	return location_of(b, &b->tries, ev->addr, &held) && emit_firm(b, held, 1);
}

/* The n-th operation with an object reads n and writes n + 1. */
static bool take_chained(struct builder *b, uint64_t object)
{
	uint64_t n = hd_map_get(&b->links, object);
	uint32_t x;

	return location_of(b, &b->chains, object, &x) && hd_map_set(&b->links, object, n + 1) &&
	       emit_firm(b, x, n) && emit(b, HD_STEP_WRITE, x, n + 1, false);
}

/* Whoever enters after the first has left is in the next round. */
static bool enter_barrier(struct builder *b, uint64_t barrier)
{
	uint64_t k = hd_map_get(&b->barrier_round, barrier);
	struct round *r;
	uint32_t x;

	if (!k || b->rounds[k - 1].leaving) {
		if (!hd_grow((void **)&b->rounds, &b->rounds_room, b->nrounds, sizeof(*b->rounds)))
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

static bool leave_barrier(struct builder *b)
{
	uint64_t k = hd_map_get(&b->thread_round, b->thread + 1ull);

	if (!k)
		return true;
	b->rounds[k - 1].leaving = true;
	for (uint64_t x = b->rounds[k - 1].last; x; x = hd_map_get(&b->before, x))
		if (!emit_firm(b, (uint32_t)(x - 1), 1))
			return false;
	return true;
}

static bool take_event(struct builder *b, const struct hd_event *ev)
{
	switch (ev->op) {
	case HD_OP_FORK:
	case HD_OP_JOIN:
		return emit(b, ev->op == HD_OP_FORK ? HD_STEP_FORK : HD_STEP_JOIN,
			    (uint32_t)ev->value - 1, 0, false);
	case HD_OP_ACQUIRE:
	case HD_OP_RELEASE: /* of isolated blocks too */
		return take_lock(b, ev);
	case HD_OP_ACQUIRE_FAIL:
		return take_failed_try(b, ev);
	case HD_OP_WAIT:
	case HD_OP_WAKE:
	case HD_OP_NOTIFY:
	case HD_OP_NOTIFY_ALL:
	case HD_OP_SEM_POST:
	case HD_OP_SEM_WAIT:
	case HD_OP_ONCE_BEGIN:
	case HD_OP_ONCE_END:
	case HD_OP_ONCE_PASS:
	case HD_OP_HB_RELEASE:
	case HD_OP_HB_ACQUIRE:
	case HD_OP_FUTURE_PUT:
	case HD_OP_FUTURE_GET:
	case HD_OP_PHASER_SIGNAL:
	case HD_OP_PHASER_WAIT:
		return take_chained(b, ev->addr);
	case HD_OP_BARRIER_ENTER:
		return enter_barrier(b, ev->addr);
	case HD_OP_BARRIER_LEAVE:
		return leave_barrier(b);
	case HD_OP_BEGIN:
	case HD_OP_END:
		return emit(b, ev->op == HD_OP_BEGIN ? HD_STEP_BEGIN : HD_STEP_END, 0, 0, false);
	case HD_OP_ALLOC:
	case HD_OP_FREE:
		return emit(b, HD_STEP_OTHER, 0, 0, false);
	default:
		return true;
	}
}

/* First pass: which cells are changed in one go, which locks were found taken. */
static enum hd_err survey(void *arg, const struct hd_fed *fed, struct hd_errbuf *eb)
{
	struct builder *b = arg;
	bool ok = true;

	if (fed->cell != HD_NO_CELL && fed->op == HD_OP_ATOMIC_RMW)
		ok = hd_map_set(&b->atomic_cells, fed->cell + 1ull, 1);
	else if (fed->op == HD_OP_ACQUIRE_FAIL)
		ok = hd_map_set(&b->tried_locks, fed->ev->addr, 1);
	return ok ? HD_OK : no_memory(b);
}

static enum hd_err take(void *arg, const struct hd_fed *fed, struct hd_errbuf *eb)
{
	struct builder *b = arg;
	bool ok;

	if (fed->thread) {
		b->thread = fed->thread - 1;
		b->index = fed->index;
	}
	if (fed->cell != HD_NO_CELL)
		ok = take_cell(b, fed);
	else
		ok = !fed->thread || (flush_unseen(b) && take_event(b, fed->ev));
	return ok ? HD_OK : no_memory(b);
}

static void free_builder(struct builder *b)
{
	struct hd_map *maps[] = { &b->cells.map, &b->locks.map, &b->chains.map, &b->tries.map,
				  &b->atomic_cells, &b->tried_locks, &b->held, &b->links,
				  &b->barrier_round, &b->thread_round, &b->before };

	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		hd_map_free(maps[i]);
	free(b->rounds);
	free(b->unseen);
}

enum hd_err hd_instance_from_trace(struct hd_instance *out, struct hd_trace *t,
				   struct hd_errbuf *eb)
{
	struct builder b = { .in = out, .eb = eb };
	enum hd_err err;

	*out = (struct hd_instance){ 0 };
	/* A damaged file gives the same error in the second pass, after what is before it. */
	err = hd_feed_cells(t, survey, &b, eb);
	if (err != HD_ERR_NOMEM)
		err = hd_feed_cells(t, take, &b, eb);
	out->nlocks = b.locks.n;
	free_builder(&b);
	if (err == HD_ERR_NOMEM)
		hd_instance_free(out);
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
