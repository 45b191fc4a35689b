/*
 * The shadow call stack, from function entries and exits: which functions a fiber is in.
 *
 * Entering and leaving a function does next to nothing, in line or by a call of a hook. The context
 * is made when somebody asks for it, once in each call that needs it. Contexts are folded: a call
 * from a place that is among the last FOLD calls already has the context of that one, so that
 * recursion makes no more contexts than there are orders of places, however deep it goes.
 *
 * Each call has its stack pointer, so that calls left in another way than by returning are noticed:
 * the next entry from a higher stack pointer drops them. A jump does so at once, and a function that
 * is left in line leaves the stack as it found it.
 */
#include "common/hash.h"
#include "runtime/rt.h"

#include "abi.h"
#include "runtime/memory/arena.h"
#include "runtime/observe/record.h"

#define FOLD	   16
#define FRAME_MAX  (1u << 19)
#define LOCALS_MAX 16 /* functions that are told of at a time, the innermost */

_Static_assert(sizeof(struct hd_call) == HD_INLINE_CALL_SIZE &&
		       offsetof(struct hd_call, sp) == HD_INLINE_CALL_SP &&
		       offsetof(struct hd_call, pc) == HD_INLINE_CALL_PC &&
		       offsetof(struct hd_call, fp) == HD_INLINE_CALL_FP &&
		       offsetof(struct hd_call, ctx) == HD_INLINE_CALL_REST,
	       "as instrumented code has it");

struct hd_context_below hd_rt_contexts_below[HD_CONTEXTS_BELOW];

/* ---- entering and leaving -------------------------------------------------- */

static inline bool foreign(void)
{
	uintptr_t fs;

	__asm__("mov %%fs:0x10, %0" : "=r"(fs));
	return fs != hd_rt.cur->fs;
}

/* The current fiber enters its first function. */
static HD_NOINLINE struct hd_call *first_call(void)
{
	struct fiber *f = hd_rt.cur;
	struct hd_call *root;

	if (!hd_rt.active || foreign())
		return NULL;
	if (!f->calls.stack)
		f->calls.stack = hd_rt_alloc_used(HD_CALLS_BYTES);
	root = f->calls.stack + HD_CALLS_DEPTH;
	*root = (struct hd_call){ .sp = HD_CALLS_ROOT, .ctx = f->calls.root };
	heddle_inline1_limit = hd_rt.opt.calls ? (struct hd_call *)UINTPTR_MAX : f->calls.stack;
	return heddle_inline1_top = root;
}

/*
 * The function that called our hook, whose frame is at @frame, returns to @pc. False: it is not
 * kept.
 */
static inline bool enter(uintptr_t pc, uintptr_t frame)
{
	uintptr_t sp =
		frame + 2 * sizeof(uintptr_t); /* pushed by the call of our hook, and by the hook */
	struct hd_call *top = heddle_inline1_top;

	if (unlikely(!top)) {
		top = first_call();
		if (!top)
			return false;
	}
	if (unlikely(top->sp <= sp)) {
		while (top->sp <= sp)
			top++;
		heddle_inline1_top = top;
		hd_rt.cur->calls.over = 0;
	}
	if (unlikely(top == hd_rt.cur->calls.stack))
		return false;
	*--top = (struct hd_call){ .sp = sp, .pc = pc, .fp = *(const uintptr_t *)frame };
	heddle_inline1_top = top;
	return true;
}

static HD_NOINLINE void tell_entry(uintptr_t pc, uintptr_t at)
{
	if (hd_rt_enter(at))
		hd_rt_event(HD_OP_FUNC_ENTRY, 0, pc, 0);
}

static HD_NOINLINE void tell_exit(uintptr_t at)
{
	if (hd_rt_enter(at))
		hd_rt_event(HD_OP_FUNC_EXIT, 0, 0, 0);
}

HD_EXPORT void __tsan_func_entry(void *caller)
{
	if (unlikely(!enter((uintptr_t)caller, (uintptr_t)__builtin_frame_address(0)))) {
		hd_rt.cur->calls.over += heddle_inline1_top != NULL;
		return;
	}
	if (unlikely(hd_rt.opt.calls))
		tell_entry((uintptr_t)caller, HD_CALLER);
}

HD_EXPORT void __tsan_func_exit(void)
{
	struct hd_call *top = heddle_inline1_top;

	if (unlikely(!top))
		return;
	if (unlikely(hd_rt.cur->calls.over)) {
		hd_rt.cur->calls.over--;
		return;
	}
	if (unlikely(hd_rt.opt.calls))
		tell_exit(HD_CALLER);
	if (likely(top->sp != HD_CALLS_ROOT))
		heddle_inline1_top = top + 1;
}

/* From static_hooks.c, whose own have these names; the frames are as if there were no such. */
HD_EXPORT void heddle_inline1_func_entry(void *caller) __attribute__((alias("__tsan_func_entry")));
HD_EXPORT void heddle_inline1_func_exit(void) __attribute__((alias("__tsan_func_exit")));

/* In line, where that does not do: there is no room, or entries are to be told. */
HD_EXPORT void heddle_inline1_enter(void *caller)
{
	if (enter((uintptr_t)caller, (uintptr_t)__builtin_frame_address(0)) && hd_rt.opt.calls)
		tell_entry((uintptr_t)caller, HD_CALLER);
}

/* The same at the exit of a function that found the stack at @top. */
HD_EXPORT void heddle_inline1_leave(void *top)
{
	if (hd_rt.opt.calls && heddle_inline1_top && heddle_inline1_top != top)
		tell_exit(HD_CALLER);
	heddle_inline1_top = top;
}

void hd_rt_calls_leave(uintptr_t sp)
{
	struct hd_call *top = heddle_inline1_top;

	if (!top || top->sp >= sp)
		return;
	while (top->sp < sp)
		top++;
	heddle_inline1_top = top;
	hd_rt.cur->calls.over = 0;
}

void hd_rt_calls_end(void)
{
	heddle_inline1_top = heddle_inline1_limit = NULL;
	hd_rt.cur->calls.over = 0;
}

/* ---- contexts ---------------------------------------------------------------- */

HD_NOINLINE uint32_t hd_rt_new_context_below(struct hd_context_below *c, uint32_t parent,
					     uintptr_t pc)
{
	c->ctx = hd_rt_context_child(parent, pc);
	c->parent = parent;
	c->pc = pc;
	return c->ctx;
}

/* Not folded: what calls nothing does not recur. */
void hd_rt_calls_enter_leaf(uintptr_t pc)
{
	uint32_t ctx = hd_rt_context_below(pc);

	if (enter(pc, (uintptr_t)__builtin_frame_address(0)))
		heddle_inline1_top->ctx = ctx;
}

/* The context of @call; those of the calls above it are known. */
static uint32_t context_of(const struct hd_call *call)
{
	const struct hd_call *at = call + 1;

	for (int n = 0; n < FOLD && at->sp != HD_CALLS_ROOT; n++, at++) {
		if (at->pc == call->pc)
			return at->ctx;
	}
	return hd_rt_context_called(call[1].ctx, call->pc);
}

static uint32_t context_from(struct hd_call *top)
{
	struct hd_call *call = top;

	while (!call->ctx && call->sp != HD_CALLS_ROOT)
		call++;
	while (call != top) {
		call--;
		call->ctx = context_of(call);
	}
	return top->ctx;
}

HD_NOINLINE uint32_t hd_rt_new_context(void)
{
	return context_from(heddle_inline1_top);
}

uint32_t hd_rt_context_of(const struct fiber *f)
{
	if (f == hd_rt.cur)
		return hd_rt_context();
	return f->calls.top ? context_from(f->calls.top) : f->calls.root;
}

/* ---- variables ---------------------------------------------------------------- */

/*
 * A place in the code of the function of @c: what it calls now returns there. (Our hook's own return
 * address was in that word before; if the function pushed arguments, it is one of them, and names
 * no code.)
 */
static uintptr_t place_in(const struct hd_call *c)
{
	return *(const uintptr_t *)(c->sp - sizeof(uintptr_t));
}

static uint16_t place_hash(uintptr_t pc)
{
	return (uint16_t)hd_hash_bits(pc, 16) | 1;
}

/* In words above the stack pointer; 0: the register has another use. */
static uint16_t frame_pointer_above(const struct hd_call *c)
{
	uintptr_t words = (c->fp - c->sp) / sizeof(uintptr_t);

	return words < HD_LOCALS_SHARED ? (uint16_t)words : 0;
}

/* Its part of the stack, without its caller's return address and frame pointer. */
static uintptr_t frame_end(const struct hd_call *c)
{
	return (c[1].sp != HD_CALLS_ROOT ? c[1].sp : c->sp + FRAME_MAX) - 2 * sizeof(uintptr_t);
}

void hd_rt_tell_locals(void)
{
	struct hd_call *top = heddle_inline1_top, *c = top;

	if (!top)
		return;
	/* A function that is still where it was has not returned to those that called it. */
	while (c->sp != HD_CALLS_ROOT && c - top < LOCALS_MAX && c->told != place_hash(place_in(c)))
		c++;
	while (c != top) {
		uintptr_t pc;

		c--;
		pc = place_in(c);
		hd_rt_tell(HD_OP_LOCALS, c->sp, frame_end(c) - c->sp, pc, frame_pointer_above(c));
		c->told = place_hash(pc);
	}
}

void hd_rt_tell_shared(uintptr_t data, uintptr_t fn)
{
	const struct hd_call *top = heddle_inline1_top;

	if (top && data >= top->sp && data < frame_end(top))
		hd_rt_tell(HD_OP_LOCALS, data, frame_end(top) - data, fn, HD_LOCALS_SHARED);
}
