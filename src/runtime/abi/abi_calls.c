/*
 * The shadow call stack, from function entries and exits: the context that a fiber is in.
 *
 * It keeps the stack pointer of each entry, so that frames left by longjmp are noticed: the next
 * entry from a higher stack pointer drops them.
 */
#include "common/hash.h"
#include "runtime/rt.h"

#include "abi.h"
#include "runtime/memory/arena.h"
#include "runtime/observe/record.h"

#define CACHE	   4096u
#define MAX_DEPTH  4096u /* deeper calls share the context of this depth */
#define FRAME_MAX  (1u << 19)
#define LOCALS_MAX 16u /* functions that are told of at a time, the innermost */

static struct {
	uint32_t parent, ctx;
	uintptr_t pc;
} cache[CACHE];

/* The entered function's frame pointer, saved at @sp, in words above it; 0: it has another use. */
static inline uint16_t frame_pointer_above(uintptr_t sp)
{
	uintptr_t words = (*(const uintptr_t *)sp - sp) / sizeof(uintptr_t);

	return words <= UINT16_MAX ? (uint16_t)words : 0;
}

/* The context of a function that returns to @pc, called by the one that the current fiber is in. */
static inline uint32_t context_below(uint32_t parent, uintptr_t pc)
{
	uint64_t slot = hd_hash_call(parent, pc) >> 52;

	if (unlikely(cache[slot].pc != pc || cache[slot].parent != parent)) {
		cache[slot].ctx = hd_rt_context_child(parent, pc);
		cache[slot].parent = parent;
		cache[slot].pc = pc;
	}
	return cache[slot].ctx;
}

uint32_t hd_rt_context_below(uintptr_t pc)
{
	return hd_rt.active ? context_below(hd_rt.cur->ctx, pc) : 0;
}

HD_EXPORT void __tsan_func_entry(void *caller)
{
	struct fiber *f = hd_rt.cur;
	uintptr_t pc = (uintptr_t)caller, sp = (uintptr_t)__builtin_frame_address(0);

	if (unlikely(!f->calls.stack)) {
		if (!hd_rt.active)
			return;
		f->calls.stack = hd_rt_alloc_used(MAX_DEPTH * sizeof(*f->calls.stack));
	}
	while (unlikely(f->calls.depth && f->calls.stack[f->calls.depth - 1].sp <= sp)) {
		f->ctx = f->calls.stack[--f->calls.depth].ctx;
		f->calls.over = 0;
	}
	if (unlikely(f->calls.depth == MAX_DEPTH)) {
		f->calls.over++;
		return;
	}
	f->calls.stack[f->calls.depth++] =
		(struct hd_call){ .sp = sp, .ctx = f->ctx, .fp = frame_pointer_above(sp) };
	f->ctx = context_below(f->ctx, pc);
	if (unlikely(hd_rt.opt.calls) && hd_rt_enter(HD_CALLER))
		hd_rt_event(HD_OP_FUNC_ENTRY, 0, pc, 0);
}

HD_EXPORT void __tsan_func_exit(void)
{
	struct fiber *f = hd_rt.cur;

	if (unlikely(f->calls.over)) {
		f->calls.over--;
		return;
	}
	if (unlikely(hd_rt.opt.calls) && hd_rt_enter(HD_CALLER))
		hd_rt_event(HD_OP_FUNC_EXIT, 0, 0, 0);
	if (likely(f->calls.depth))
		f->ctx = f->calls.stack[--f->calls.depth].ctx;
}

/*
 * A place in the code of the function that call @c entered: what it calls now returns there. (Our hook's own
 * return address was in that word before; if the function pushed arguments, it is one of them, and names
 * no code.)
 */
static uintptr_t place_in(const struct hd_call *c)
{
	return *(const uintptr_t *)(c->sp + sizeof(uintptr_t));
}

static uint16_t place_hash(uintptr_t pc)
{
	return (uint16_t)hd_hash_bits(pc, 16) | 1;
}

void hd_rt_tell_locals(void)
{
	const uint16_t pushed = 2; /* words: by the call of our hook, and by the hook */
	struct fiber *f = hd_rt.cur;
	uint32_t first = f->calls.depth;

	/* A function that is still where it was has not returned to those that called it. */
	while (first && f->calls.depth - first < LOCALS_MAX &&
	       f->calls.stack[first - 1].told != place_hash(place_in(&f->calls.stack[first - 1])))
		first--;
	for (uint32_t i = first; i < f->calls.depth; i++) {
		struct hd_call *c = &f->calls.stack[i];
		uintptr_t sp = c->sp + pushed * sizeof(uintptr_t), pc = place_in(c);
		uintptr_t end = i ? f->calls.stack[i - 1].sp : c->sp + FRAME_MAX;

		hd_rt_tell(HD_OP_LOCALS, sp, end - sp, pc,
			   c->fp > pushed ? (uint16_t)(c->fp - pushed) : 0);
		c->told = place_hash(pc);
	}
}
