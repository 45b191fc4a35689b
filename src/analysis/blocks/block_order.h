/*
 * Which open blocks come before what: the engine of conflict-serializability.
 *
 * Events are grouped into *nodes*: a block is one, and so is what a thread does outside of
 * blocks, as long as nothing new comes before it. A block is not serializable when its node
 * comes before an event that comes before one of its own, so only blocks that are still
 * open can be found torn, and all that must be known of a node is the set of open blocks
 * that come before it. It is kept as a vector clock with one entry for each open block
 * instead of each thread, whose value is not a time but the path by which it came: entries
 * of blocks that ended are taken out, so the clock is as long as blocks are open at once, however
 * many threads or blocks there have been.
 *
 * The clock of an open block is always complete. That of other nodes may lack what reached
 * an open block of its set after the node's last event; whoever uses it looks there too,
 * and at the block's end the node is given the rest. A node with an empty set can be on no
 * cycle any more: it is the same as none.
 */
#ifndef HD_ANALYSIS_BLOCK_ORDER_H
#define HD_ANALYSIS_BLOCK_ORDER_H

#include "analysis/vclock.h"
#include "block_path.h"

typedef uint32_t hd_node; /* 0: no open block comes before it */

struct hd_order_node {
	uint32_t refs;
	uint32_t slot;	  /* of the block while it is open, else 0 */
	uint32_t members; /* entries of `before` that are not 0 */
	uint32_t stamp;
	struct hd_vclock before; /* by slot: a path from the open block there, or 0 */
};

/* A place for an open block. */
struct hd_open_block {
	hd_node node;	  /* 0: free */
	uint64_t begin;	  /* index of the event that opened it */
	uint32_t members; /* nodes that have it in their set */
	uint32_t *nodes;  /* these, and some that no longer do */
	uint32_t nnodes, cap;
};

struct hd_order {
	struct hd_slab nodes;
	struct hd_paths paths;
	struct hd_open_block *open; /* from 1 */
	uint32_t nopen, cap;	    /* places in use: 1 .. nopen - 1, some free */
	uint32_t blocks;	    /* open now */
	uint32_t stamp;
	bool failed; /* memory ran out: nothing is right any more */
};

bool hd_order_init(struct hd_order *o);
void hd_order_free(struct hd_order *o);
bool hd_order_failed(const struct hd_order *o);

static inline struct hd_order_node *hd_order_at(const struct hd_order *o, hd_node n)
{
	return hd_slab_at(&o->nodes, n);
}

/* Can a cycle go through @n, now or later? */
static inline bool hd_order_matters(const struct hd_order *o, hd_node n)
{
	return n && hd_order_at(o, n)->members > 0;
}

static inline bool hd_order_is_open(const struct hd_order *o, hd_node n)
{
	return n && hd_order_at(o, n)->slot != 0;
}

static inline hd_node hd_order_keep(struct hd_order *o, hd_node n)
{
	if (n)
		hd_order_at(o, n)->refs++;
	return n;
}

void hd_order_drop(struct hd_order *o, hd_node n);

/* Open a block after @previous (its thread's node); the caller owns the result. */
hd_node hd_order_begin(struct hd_order *o, hd_node previous, uint64_t index);
/* Close it. The node stays, as one that no longer changes. */
void hd_order_end(struct hd_order *o, hd_node block);

/*
 * The event @to of node @into comes after @from of node @source. When @into is no open block
 * and others know it, it is replaced by a new node in *@into.
 *
 * Returns 0, or, when the open block *@into already comes before @source, the path from
 * it to there, the caller's to drop; then nothing was changed.
 */
uint32_t hd_order_after(struct hd_order *o, hd_node *into, hd_node source,
			const struct hd_seen *from, const struct hd_seen *to);

#endif
