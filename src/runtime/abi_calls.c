/*
 * The shadow call stack, from function entries and exits: the context that a fiber is in.
 *
 * It keeps the stack pointer of each entry, so that frames left by longjmp are noticed: the next
 * entry from a higher stack pointer drops them.
 */
#include "rt.h"

#include "abi.h"
#include "arena.h"

#define CACHE     4096u
#define MAX_DEPTH 4096u /* deeper calls share the context of this depth */

static struct {
	uint32_t parent, ctx;
	uintptr_t pc;
} cache[CACHE];

static inline uint64_t hash(uint32_t parent, uintptr_t pc)
{
	return (pc ^ (uint64_t)parent << 40 ^ (uint64_t)parent << 7) * 0x9e3779b97f4a7c15ull;
}

HD_EXPORT void __tsan_func_entry(void *caller)
{
	struct fiber *f = hd_rt.cur;
	uintptr_t pc = (uintptr_t)caller, sp = (uintptr_t)__builtin_frame_address(0);
	uint64_t slot = hash(f->ctx, pc) >> 52;

	if (unlikely(!f->calls)) {
		if (!hd_rt.active)
			return;
		f->calls = hd_rt_alloc_used(MAX_DEPTH * sizeof(*f->calls));
	}
	while (unlikely(f->depth && f->calls[f->depth - 1].sp <= sp)) {
		f->ctx = f->calls[--f->depth].ctx;
		f->depth_over = 0;
	}
	if (unlikely(f->depth == MAX_DEPTH)) {
		f->depth_over++;
		return;
	}
	f->calls[f->depth++] = (struct hd_call){ .sp = sp, .ctx = f->ctx };
	if (likely(cache[slot].pc == pc && cache[slot].parent == f->ctx)) {
		f->ctx = cache[slot].ctx;
	} else {
		uint32_t ctx = hd_rt_context_child(f->ctx, pc);

		cache[slot].parent = f->ctx;
		cache[slot].pc = pc;
		cache[slot].ctx = ctx;
		f->ctx = ctx;
	}
	if (unlikely(hd_rt.opt.calls) && hd_rt_enter(HD_CALLER))
		hd_rt_event(HD_OP_FUNC_ENTRY, 0, pc, 0);
}

HD_EXPORT void __tsan_func_exit(void)
{
	struct fiber *f = hd_rt.cur;

	if (unlikely(f->depth_over)) {
		f->depth_over--;
		return;
	}
	if (unlikely(hd_rt.opt.calls) && hd_rt_enter(HD_CALLER))
		hd_rt_event(HD_OP_FUNC_EXIT, 0, 0, 0);
	if (likely(f->depth))
		f->ctx = f->calls[--f->depth].ctx;
}
