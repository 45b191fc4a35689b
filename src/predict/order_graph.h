/*
 * What comes before what, as a graph that stays free of cycles: an order of all nodes that agrees
 * with every edge is kept up to date (after Pearce and Kelly), so that an edge that agrees with
 * it costs nothing, and one that closes a cycle is refused with the cycle.
 *
 * Nodes of one thread have consecutive numbers, and each comes after the one before it.
 */
#ifndef HD_PREDICT_ORDER_GRAPH_H
#define HD_PREDICT_ORDER_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HD_NO_NODE  UINT32_MAX
#define HD_NO_LABEL UINT32_MAX

struct hd_order_edge {
	uint32_t from, to, label;
	uint32_t next_out, next_in; /* edge + 1 of the same node, 0: none */
};

struct hd_order_graph {
	uint32_t n;
	uint32_t *place;    /* of each node in the order */
	uint32_t *node;	    /* at each place */
	bool *chained;	    /* does the node come after the one with the number before it? */
	uint32_t *out, *in; /* of each node: first edge + 1 */
	struct hd_order_edge *edges;
	size_t nedges, edges_room;
	uint32_t *cycle; /* labels of the cycle that the last edge would have closed */
	size_t ncycle, cycle_room;
	/* For one hd_order_graph_add: */
	uint32_t *stamp, now;
	uint32_t *via; /* of each node: edge + 1 by which it was reached, 0: the chain */
	uint32_t *after, *before, *pool, *stack;
	uint64_t moved; /* nodes that changed their place, all in all */
};

enum hd_order_result { HD_ORDER_DONE, HD_ORDER_CYCLE, HD_ORDER_NO_MEMORY };

/* @n nodes; place, node and chained are for the caller to fill in. False: out of memory. */
bool hd_order_graph_init(struct hd_order_graph *o, uint32_t n);
void hd_order_graph_free(struct hd_order_graph *o);

/* Let @from come before @to. HD_ORDER_CYCLE: it does not, and cycle has the reasons. */
enum hd_order_result hd_order_graph_add(struct hd_order_graph *o, uint32_t from, uint32_t to,
					uint32_t label);

/* Take back all edges but the first @nedges. The order of nodes stays as it is. */
void hd_order_graph_drop(struct hd_order_graph *o, size_t nedges);

#endif
