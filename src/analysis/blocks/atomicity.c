#include "atomicity.h"

#include "common/array.h"
#include "last_access.h"
#include "torn_blocks.h"
#include "trace/event_meaning.h"

/* An event that means something new is to be thought of here. */
#pragma GCC diagnostic error "-Wswitch"
#pragma GCC diagnostic error "-Wswitch-enum"

struct thread {
	hd_node node;		  /* of its last event, as far as anything open comes before it */
	struct hd_torn_said said; /* about its open block */
};

struct hd_atomicity {
	struct hd_order order;
	struct hd_last *last;
	struct hd_torn *torn;
	struct hd_blocks *blocks;
	struct thread *threads;
	uint32_t nthreads;
	enum hd_err err;
	uint64_t counter; /* numbers events when the caller does not */
	bool numbered;
	uint64_t nblocks, ntorn, first_torn;
};

/* One event being looked at. */
struct turn {
	struct hd_atomicity *a;
	struct hd_seen seen;
	struct thread *thread;
	hd_node *node; /* of its thread */
	bool torn;
};

enum hd_err hd_atomicity_new(struct hd_atomicity **out, const struct hd_blocks_options *blocks)
{
	struct hd_atomicity *a = calloc(1, sizeof(*a));
	bool ok;

	*out = a;
	if (!a)
		return HD_ERR_NOMEM;
	ok = hd_order_init(&a->order);
	a->last = hd_last_new(&a->order);
	a->torn = hd_torn_new(&a->order.paths);
	a->blocks = hd_blocks_new(blocks);
	if (ok && a->last && a->torn && a->blocks)
		return HD_OK;
	hd_atomicity_free(a);
	*out = NULL;
	return HD_ERR_NOMEM;
}

void hd_atomicity_free(struct hd_atomicity *a)
{
	if (!a)
		return;
	hd_blocks_free(a->blocks);
	hd_torn_free(a->torn);
	hd_last_free(a->last);
	hd_order_free(&a->order);
	free(a->threads);
	free(a);
}

static struct thread *thread_of(struct hd_atomicity *a, uint32_t number)
{
	if (number >= a->nthreads) {
		if (number >= HD_THREADS_MAX) {
			a->err = HD_ERR_LIMIT;
			return NULL;
		}
		if (!HD_ROOM_ZEROED(a->threads, a->nthreads, number + 1)) {
			a->err = HD_ERR_NOMEM;
			return NULL;
		}
	}
	return &a->threads[number];
}

/* ---- blocks ----------------------------------------------------------------------- */

static void close_block(struct hd_atomicity *a, hd_node *node)
{
	hd_order_end(&a->order, *node);
	if (!hd_order_matters(&a->order, *node)) {
		hd_order_drop(&a->order, *node);
		*node = 0;
	}
}

static void open_block(struct hd_atomicity *a, struct thread *thread, uint64_t index)
{
	hd_node block = hd_order_begin(&a->order, thread->node, index);

	hd_order_drop(&a->order, thread->node);
	thread->node = block;
	memset(&thread->said, 0, sizeof(thread->said));
	a->nblocks++;
}

/* ---- conflicts ---------------------------------------------------------------------- */

static bool in_block(const struct hd_atomicity *a, hd_node node, const struct hd_seen *seen,
		     uint32_t thread)
{
	uint32_t slot = hd_order_at(&a->order, node)->slot;

	return seen->event.thread == thread && seen->index >= a->order.open[slot].begin;
}

/*
 * Three accesses to one place tell it best: the access of the block that @with conflicted
 * with, or the one that the path starts with, if it is to the same memory and not to what was
 * there before.
 */
static const struct hd_seen *first_of_three(const struct turn *t, const struct hd_record *with,
					    uint32_t path)
{
	const struct hd_order *o = &t->a->order;
	const struct hd_seen *first;

	if (with->over) {
		first = &hd_path_step(&o->paths, with->over)->from;
		if (in_block(t->a, *t->node, first, t->seen.event.thread))
			return first;
	}
	first = &hd_path_first(&o->paths, path)->from;
	if (first->index < with->seen.index &&
	    hd_accesses_conflict(&first->event, &with->seen.event) &&
	    !hd_last_renewed(t->a->last, with->seen.event.addr, hd_access_bytes(&with->seen.event),
			     first->index))
		return first;
	return NULL;
}

static void torn(struct turn *t, uint32_t path, const struct hd_seen *within,
		 const struct hd_seen *other)
{
	t->torn = true;
	if (!hd_torn_add(t->a->torn, &t->thread->said, path, within, other, &t->seen))
		t->a->err = HD_ERR_NOMEM;
	hd_path_drop(&t->a->order.paths, path);
}

static void on_conflict(void *arg, const struct hd_record *with)
{
	struct turn *t = arg;
	uint32_t path = hd_order_after(&t->a->order, t->node, with->node, &with->seen, &t->seen);

	if (path)
		torn(t, path, first_of_three(t, with, path), &with->seen);
}

/* ---- events --------------------------------------------------------------------------- */

static void access_memory(struct turn *t, uint64_t len, bool write)
{
	hd_last_access(t->a->last, t->seen.event.addr, len ? len : 1, write, &t->seen, t->node,
		       on_conflict, t);
}

static uint64_t object_of(const struct hd_event *ev)
{
	bool phase = ev->op == HD_OP_PHASER_SIGNAL || ev->op == HD_OP_PHASER_WAIT;

	return ev->addr + (phase ? ev->value % HD_PHASER_SPAN : 0);
}

static void signal_object(struct turn *t, enum hd_object kind, bool exclusive, uint64_t round)
{
	hd_last_signal(t->a->last, object_of(&t->seen.event), kind, exclusive, round, &t->seen,
		       *t->node);
}

static void await_object(struct turn *t, enum hd_object kind, bool exclusive_only, uint64_t round,
			 uint32_t thread)
{
	hd_last_await(t->a->last, object_of(&t->seen.event), kind, exclusive_only, round, thread,
		      &t->seen, on_conflict, t);
}

static void forked(struct turn *t)
{
	struct hd_atomicity *a = t->a;
	uint32_t number = (uint32_t)t->seen.event.value, own = t->seen.event.thread;
	struct thread *child = thread_of(a, number);
	static const struct hd_seen none;
	hd_node node = 0;

	if (!child || number == own)
		return;
	t->thread = &a->threads[own]; /* the table may have moved */
	t->node = &t->thread->node;
	if (hd_blocks_thread_over(a->blocks, number))
		close_block(a, &child->node);
	hd_order_after(&a->order, &node, *t->node, &t->seen, &none);
	hd_order_drop(&a->order, child->node);
	child->node = node;
}

static void joined(struct turn *t)
{
	struct hd_atomicity *a = t->a;
	uint32_t number = (uint32_t)t->seen.event.value, own = t->seen.event.thread, path;
	struct thread *child = number < a->nthreads ? &a->threads[number] : NULL;
	static const struct hd_seen none;

	if (!child || number == own)
		return;
	if (hd_blocks_thread_over(a->blocks, number))
		close_block(a, &child->node);
	path = hd_order_after(&a->order, t->node, child->node, &none, &t->seen);
	if (path)
		torn(t, path, NULL, &none);
	hd_order_drop(&a->order, child->node);
	child->node = 0;
}

/* @object is what others give and take. */
static void sync_event(struct turn *t, enum hd_object object, uint64_t round)
{
	switch (hd_op_way(t->seen.event.op)) {
	case HD_WAY_GIVES:
		signal_object(t, object, false, round);
		break;
	case HD_WAY_TAKES:
		await_object(t, object, false, round, 0);
		break;
	case HD_WAY_NONE:
	case HD_WAY_RENEWS:
		break;
	}
}

static void lock_event(struct turn *t)
{
	const struct hd_event *ev = &t->seen.event;
	bool shared = ev->arg & HD_LOCK_SHARED, again = ev->arg & HD_LOCK_AGAIN;

	switch (hd_op_way(ev->op)) {
	case HD_WAY_GIVES:
		if (!again)
			signal_object(t, HD_OBJECT_LOCK, !shared, 0);
		break;
	case HD_WAY_TAKES:
		if (!again)
			await_object(t, HD_OBJECT_LOCK, shared, 0, 0);
		break;
	case HD_WAY_RENEWS:
		hd_last_forget_object(t->a->last, ev->addr, HD_OBJECT_LOCK);
		break;
	case HD_WAY_NONE:
		break;
	}
}

static void condition_event(struct turn *t)
{
	const struct hd_event *ev = &t->seen.event;

	if (hd_op_way(ev->op) != HD_WAY_TAKES)
		sync_event(t, HD_OBJECT_COND, 0);
	else if (ev->value) /* woken by somebody */
		await_object(t, HD_OBJECT_COND, false, 0, (uint32_t)ev->value);
}

static void barrier_event(struct turn *t)
{
	uint64_t round = t->seen.event.value;

	sync_event(t, round % 2 ? HD_OBJECT_BARRIER_ODD : HD_OBJECT_BARRIER_EVEN, round);
}

static void access_event(struct turn *t)
{
	const struct hd_event *ev = &t->seen.event;
	enum hd_touch touch = hd_op_touches(ev->op);

	if (touch != HD_TOUCH_READ && touch != HD_TOUCH_WRITE)
		return;
	if (!hd_op_is_range(ev->op))
		access_memory(t, ev->size, touch == HD_TOUCH_WRITE);
	else if (ev->value)
		access_memory(t, ev->value, touch == HD_TOUCH_WRITE);
}

static void look_at(struct turn *t)
{
	const struct hd_event *ev = &t->seen.event;

	switch (hd_op_about(ev->op)) {
	case HD_ABOUT_MEMORY:
	case HD_ABOUT_ATOMIC:
		access_event(t);
		break;
	case HD_ABOUT_HEAP:
		hd_last_forget(t->a->last, ev->addr, ev->value, t->seen.index);
		break;
	case HD_ABOUT_CHILD:
		if (hd_op_way(ev->op) == HD_WAY_GIVES)
			forked(t);
		else
			joined(t);
		break;
	case HD_ABOUT_LOCK:
		lock_event(t);
		break;
	case HD_ABOUT_COND:
		condition_event(t);
		break;
	case HD_ABOUT_BARRIER:
		barrier_event(t);
		break;
	case HD_ABOUT_SEM:
		sync_event(t, HD_OBJECT_SEMAPHORE, 0);
		break;
	case HD_ABOUT_ONCE:
		sync_event(t, HD_OBJECT_ONCE, 0);
		break;
	case HD_ABOUT_MARK:
	case HD_ABOUT_FUTURE:
	case HD_ABOUT_PHASER:
		sync_event(t, HD_OBJECT_OTHER, 0);
		break;
	case HD_ABOUT_NOTHING:
	case HD_ABOUT_THREAD:
	case HD_ABOUT_FENCE:
	case HD_ABOUT_CODE:
	case HD_ABOUT_TASK:
	case HD_ABOUT_TEAM:
	case HD_ABOUT_RUN:
	case HD_ABOUT_FINDING:
		break;
	}
}

enum hd_err hd_atomicity_event(struct hd_atomicity *a, const struct hd_event *ev, uint64_t index)
{
	struct thread *thread;
	unsigned change;
	struct turn t;

	if (a->err)
		return a->err;
	thread = thread_of(a, ev->thread);
	if (!thread)
		return a->err;
	a->numbered = index != HD_NO_INDEX;
	if (!a->numbered)
		index = a->counter++;
	change = hd_blocks_event(a->blocks, ev);
	if (change & HD_BLOCK_CLOSES)
		close_block(a, &thread->node);
	if (change & HD_BLOCK_OPENS)
		open_block(a, thread, index);
	/* While no block is open there is nothing that can be torn. */
	if (a->order.blocks || ev->op == HD_OP_JOIN) {
		t = (struct turn){
			.a = a, .seen = { *ev, index }, .thread = thread, .node = &thread->node
		};
		look_at(&t);
		if (t.torn && a->ntorn++ == 0)
			a->first_torn = index;
	}
	if (hd_order_failed(&a->order) || hd_last_failed(a->last) || hd_blocks_failed(a->blocks))
		a->err = HD_ERR_NOMEM;
	return a->err;
}

void hd_atomicity_report(const struct hd_atomicity *a, hd_found_fn *found, void *arg)
{
	hd_torn_each(a->torn, a->numbered, found, arg);
}

void hd_atomicity_stats(const struct hd_atomicity *a, struct hd_atomicity_stats *stats)
{
	*stats = (struct hd_atomicity_stats){ .torn = a->ntorn,
					      .first_torn = a->ntorn ? a->first_torn : HD_NO_INDEX,
					      .blocks = a->nblocks,
					      .records = hd_last_records(a->last),
					      .nodes = a->order.nodes.live,
					      .open = a->order.blocks };
	for (uint32_t i = 1; i < a->order.nopen; i++)
		stats->links += a->order.open[i].cap;
}
