/*
 * The shadow call stack of each task. Contexts are made when somebody asks: most calls come and go
 * without. They are folded: a call from a place that is among the last FOLD calls already leads back
 * to the context of that one, so that recursion makes no more contexts than there are orders of
 * places, whatever tree of calls it walks through.
 */
#include "common/hash.h"
#include "lane.h"
#include "par_tell.h"
#include "runtime/abi/abi.h"

#define DEPTH 4096u
#define CACHE 1024u
#define FOLD  16

__thread struct hd_par_lane hd_par_lane;

static __thread struct {
	uintptr_t pc;
	uint32_t parent, ctx;
} cache[CACHE] __attribute__((tls_model("initial-exec")));

HD_EXPORT void __tsan_func_entry(void *caller)
{
	struct hd_par_lane *l = &hd_par_lane;

	if (unlikely(l->top == l->limit)) {
		l->over++;
		return;
	}
	l->top->pc = (uintptr_t)caller;
	l->top->ctx = 0;
	l->top++;
}

HD_EXPORT void __tsan_func_exit(void)
{
	struct hd_par_lane *l = &hd_par_lane;

	if (unlikely(l->over))
		l->over--;
	else if (likely(l->top != l->base))
		l->top--;
}

HD_EXPORT void heddle_inline1_func_entry(void *caller) __attribute__((alias("__tsan_func_entry")));
HD_EXPORT void heddle_inline1_func_exit(void) __attribute__((alias("__tsan_func_exit")));

/* Nothing is entered in line here (inline_vars.c). */
HD_EXPORT void heddle_inline1_enter(void *caller)
{
	__tsan_func_entry(caller);
}

HD_EXPORT void heddle_inline1_leave(void *top)
{
	__tsan_func_exit();
}

static uint32_t child(uint32_t parent, uintptr_t pc)
{
	uint64_t hash = hd_hash_call(parent, pc);
	unsigned slot = (unsigned)(hash >> 54);

	if (cache[slot].pc != pc || cache[slot].parent != parent) {
		hd_par_check_lock();
		cache[slot].ctx = hd_par_tell_context(parent, pc);
		hd_par_check_unlock();
		cache[slot].pc = pc;
		cache[slot].parent = parent;
	}
	return cache[slot].ctx;
}

/* The context of @call, given that of the one before it. */
static uint32_t context_of(const struct hd_par_lane_call *call, uint32_t parent)
{
	const struct hd_par_lane_call *at = call;

	for (int n = 0; n < FOLD && at-- != hd_par_lane.base; n++) {
		if (at->pc == call->pc)
			return at->ctx;
	}
	return child(parent, call->pc);
}

HD_NOINLINE uint32_t hd_par_new_context(void)
{
	struct hd_par_lane_call *known = hd_par_lane.top;
	uint32_t ctx;

	while (known != hd_par_lane.base && !known[-1].ctx)
		known--;
	ctx = known != hd_par_lane.base ? known[-1].ctx : 0;
	for (; known != hd_par_lane.top; known++)
		ctx = known->ctx = context_of(known, ctx);
	return ctx;
}

uint32_t hd_par_context_now(void)
{
	return hd_par_context();
}

static void begin(struct hd_par_strand *f)
{
	struct hd_par_stack *s = f->worker->stack;

	if (!s->calls)
		s->calls = hd_rt_reserve(DEPTH * sizeof(struct hd_par_lane_call));
	/* On top of the task that it runs on top of, if there is one. */
	if (!hd_par_lane.task)
		hd_par_lane.top = s->calls;
	hd_par_lane.base = hd_par_lane.top;
	hd_par_lane.limit = (struct hd_par_lane_call *)s->calls + DEPTH;
	hd_par_lane.over = 0;
}

void hd_par_calls_enter(struct hd_par_strand *f)
{
	struct hd_par_lane *l = &hd_par_lane;
	struct hd_par_side *side;

	hd_par_no_step();
	hd_par_words_enter();
	if (l->task) {
		side = l->task->check;
		*side = (struct hd_par_side){ l->top, l->base, l->limit, l->over };
	}
	if (f && !f->check) {
		begin(f);
		f->check = hd_par_alloc(sizeof(*side));
	} else if (f) {
		side = f->check;
		l->top = side->top;
		l->base = side->base;
		l->limit = side->limit;
		l->over = side->over;
	}
	l->task = f;
}

void hd_par_calls_ended(struct hd_par_strand *f)
{
	hd_par_no_step();
	hd_par_free(f->check, sizeof(struct hd_par_side));
	f->check = NULL;
	hd_par_lane.task = NULL;
}
