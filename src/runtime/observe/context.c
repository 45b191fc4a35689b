/*
 * Calling contexts: which function called which, as a tree whose nodes are
 * numbered and sent once. An event then carries its whole stack in one number.
 */
#include "common/hash.h"
#include "runtime/rt.h"

#include "record.h"
#include "runtime/memory/arena.h"

#define MAX_NODES (1u << 24)

struct node {
	uint32_t parent;
	uint32_t next; /* in the hash chain */
	uintptr_t pc;
};

static struct node *nodes; /* [0] is the root: no context */
static uint32_t nnodes = 1;
static uint32_t *chains;
uint32_t hd_rt_context_child(uint32_t parent, uintptr_t pc)
{
	uint32_t *chain;

	if (!nodes) {
		nodes = hd_rt_reserve((size_t)MAX_NODES * sizeof(*nodes));
		chains = hd_rt_reserve((size_t)(1u << 20) * sizeof(*chains));
		if (!nodes || !chains)
			return 0;
	}
	chain = &chains[hd_hash_call(parent, pc) >> 44];
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
