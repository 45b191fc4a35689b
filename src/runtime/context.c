/*
 * Calling contexts: which function called which, as a tree whose nodes are
 * numbered and sent once. An event then carries its whole stack in one number.
 *
 * The shadow stack keeps the stack pointer of each entry, so that frames left by
 * longjmp are noticed: the next entry from a higher stack pointer drops them.
 */
#include "rt.h"

#include "abi.h"
#include "arena.h"
#include "record.h"

#define CACHE     4096u
#define MAX_NODES (1u << 24)
#define MAX_DEPTH 4096u /* deeper calls share the context of this depth */

struct node {
	uint32_t parent;
	uint32_t next; /* in the hash chain */
	uintptr_t pc;
};

static struct node *nodes; /* [0] is the root: no context */
static uint32_t nnodes = 1;
static uint32_t *chains;
static struct {
	uint32_t parent, ctx;
	uintptr_t pc;
} cache[CACHE];

static inline uint64_t hash(uint32_t parent, uintptr_t pc)
{
	return (pc ^ (uint64_t)parent << 40 ^ (uint64_t)parent << 7) * 0x9e3779b97f4a7c15ull;
}

static HD_NOINLINE uint32_t find_or_make(uint32_t parent, uintptr_t pc)
{
	uint32_t *chain;

	if (!nodes) {
		nodes = hd_rt_reserve((size_t)MAX_NODES * sizeof(*nodes));
		chains = hd_rt_reserve((size_t)(1u << 20) * sizeof(*chains));
		if (!nodes || !chains)
			return 0;
	}
	chain = &chains[hash(parent, pc) >> 44];
	for (uint32_t i = *chain; i; i = nodes[i].next) {
		if (nodes[i].parent == parent && nodes[i].pc == pc)
			return i;
	}
	if (nnodes == MAX_NODES) {
		hd_rt_drop("calling contexts beyond 16 million");
		return parent;
	}
	nodes[nnodes] = (struct node){ .parent = parent, .pc = pc, .next = *chain };
	*chain = nnodes;
	if (hd_rt_recording())
		hd_rt_put_raw(HD_RAW_CONTEXT, parent, pc, nnodes);
	return nnodes++;
}

uint32_t hd_rt_context_up(uint32_t ctx, uintptr_t *pc)
{
	*pc = ctx ? nodes[ctx].pc : 0;
	return ctx ? nodes[ctx].parent : 0;
}

/* Nodes made before recording began (a program started without the command line). */
void hd_rt_send_contexts(void)
{
	for (uint32_t i = 1; i < nnodes; i++)
		hd_rt_put_raw(HD_RAW_CONTEXT, nodes[i].parent, nodes[i].pc, i);
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
		uint32_t ctx = find_or_make(f->ctx, pc);

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
