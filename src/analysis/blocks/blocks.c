#include "blocks.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hash.h"

#define CACHE 4096u

struct call {
	uint32_t ctx;
	bool atomic;
};

struct thread {
	struct call *calls;
	uint32_t ncalls, cap;
	uint32_t atomic; /* calls of atomic functions among them */
	uint32_t begun;	 /* BEGINs without END */
};

struct hd_blocks {
	struct hd_blocks_options opt;
	struct thread *threads;
	uint32_t nthreads;
	struct answer {
		uint64_t pc;
		bool atomic;
	} * cache; /* of the predicate's answers */
	bool failed;
};

struct hd_blocks *hd_blocks_new(const struct hd_blocks_options *opt)
{
	struct hd_blocks *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->opt = *opt;
	b->cache = opt->is_atomic ? calloc(CACHE, sizeof(*b->cache)) : NULL;
	if (opt->is_atomic && !b->cache) {
		free(b);
		return NULL;
	}
	return b;
}

void hd_blocks_free(struct hd_blocks *b)
{
	if (!b)
		return;
	for (uint32_t i = 0; i < b->nthreads; i++)
		free(b->threads[i].calls);
	free(b->threads);
	free(b->cache);
	free(b);
}

bool hd_blocks_failed(const struct hd_blocks *b)
{
	return b->failed;
}

static struct thread *thread_of(struct hd_blocks *b, uint32_t number)
{
	if (number >= b->nthreads) {
		if (number >= HD_THREADS_MAX)
			return NULL;
		if (!HD_ROOM_ZEROED(b->threads, b->nthreads, number + 1)) {
			b->failed = true;
			return NULL;
		}
	}
	return &b->threads[number];
}

static bool is_atomic(struct hd_blocks *b, uint64_t pc)
{
	uint32_t slot = (uint32_t)hd_hash_bits(pc, 12) % CACHE;

	if (b->opt.all_functions || !b->opt.is_atomic)
		return b->opt.all_functions;
	if (b->cache[slot].pc != pc || !pc) {
		b->cache[slot].atomic = b->opt.is_atomic(b->opt.is_atomic_arg, pc);
		b->cache[slot].pc = pc;
	}
	return b->cache[slot].atomic;
}

static void enter(struct hd_blocks *b, struct thread *t, const struct hd_event *ev)
{
	bool atomic = is_atomic(b, ev->pc);

	if (!HD_ROOM(t->calls, t->cap, t->ncalls + 1)) {
		b->failed = true;
		return;
	}
	t->calls[t->ncalls++] = (struct call){ ev->ctx, atomic };
	t->atomic += atomic;
}

static void leave(struct thread *t)
{
	if (t->ncalls)
		t->atomic -= t->calls[--t->ncalls].atomic;
}

/*
 * Functions left by longjmp have no exit event. Their callers' events tell: the calling
 * context is then one further down the stack. Without this, an atomic function left so would
 * stay open for ever.
 */
static void leave_abandoned(struct thread *t, uint32_t ctx)
{
	uint32_t i = t->ncalls;

	if (!ctx || !i || t->calls[i - 1].ctx == ctx)
		return;
	while (i && t->calls[i - 1].ctx != ctx)
		i--;
	while (i && t->ncalls > i)
		leave(t);
}

static bool is_open(const struct thread *t)
{
	return t->begun || t->atomic;
}

static void close_all(struct thread *t)
{
	free(t->calls);
	*t = (struct thread){ 0 };
}

unsigned hd_blocks_event(struct hd_blocks *b, const struct hd_event *ev)
{
	bool functions = b->opt.all_functions || b->opt.is_atomic, before, after;
	struct thread *t = thread_of(b, ev->thread);

	if (!t)
		return 0;
	before = is_open(t);
	if (functions && t->ncalls && ev->op != HD_OP_FUNC_ENTRY)
		leave_abandoned(t, ev->ctx);
	/* The same call once more: what it called at first was left without an exit. */
	if (ev->op == HD_OP_FUNC_ENTRY && ev->ctx && t->ncalls &&
	    t->calls[t->ncalls - 1].ctx == ev->ctx)
		leave(t);
	after = is_open(t);
	switch (ev->op) {
	case HD_OP_BEGIN:
		t->begun++;
		break;
	case HD_OP_END:
		t->begun -= t->begun > 0;
		break;
	case HD_OP_FUNC_ENTRY:
		if (functions)
			enter(b, t, ev);
		break;
	case HD_OP_FUNC_EXIT:
		leave(t);
		break;
	case HD_OP_THREAD_END:
		close_all(t);
		break;
	}
	if (before && (!after || !is_open(t)))
		return HD_BLOCK_CLOSES | (is_open(t) ? HD_BLOCK_OPENS : 0u);
	return !before && is_open(t) ? HD_BLOCK_OPENS : 0;
}

bool hd_blocks_thread_over(struct hd_blocks *b, uint32_t thread)
{
	struct thread *t = thread < b->nthreads ? &b->threads[thread] : NULL;
	bool open = t && is_open(t);

	if (t)
		close_all(t);
	return open;
}
