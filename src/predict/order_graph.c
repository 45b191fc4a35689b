#include "order_graph.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* Nodes that lie so close on average are better counted than sorted. */
#define DENSE 8

bool hd_order_graph_init(struct hd_order_graph *o, uint32_t n)
{
	size_t room = (size_t)n + 1;

	*o = (struct hd_order_graph){ .n = n };
	o->place = malloc(room * sizeof(*o->place));
	o->node = malloc(room * sizeof(*o->node));
	o->chained = calloc(room, sizeof(*o->chained));
	o->out = calloc(room, sizeof(*o->out));
	o->in = calloc(room, sizeof(*o->in));
	o->stamp = calloc(room, sizeof(*o->stamp));
	o->via = malloc(room * sizeof(*o->via));
	o->after = malloc(room * sizeof(*o->after));
	o->before = malloc(room * sizeof(*o->before));
	o->pool = malloc(2 * room * sizeof(*o->pool));
	o->stack = malloc(room * sizeof(*o->stack));
	return o->place && o->node && o->chained && o->out && o->in && o->stamp && o->via &&
	       o->after && o->before && o->pool && o->stack;
}

void hd_order_graph_free(struct hd_order_graph *o)
{
	free(o->place);
	free(o->node);
	free(o->chained);
	free(o->out);
	free(o->in);
	free(o->edges);
	free(o->cycle);
	free(o->stamp);
	free(o->via);
	free(o->after);
	free(o->before);
	free(o->pool);
	free(o->stack);
	*o = (struct hd_order_graph){ 0 };
}

static bool store_edge(struct hd_order_graph *o, uint32_t from, uint32_t to, uint32_t label)
{
	if (!HD_ROOM(o->edges, o->edges_room, o->nedges + 1))
		return false;
	o->edges[o->nedges++] = (struct hd_order_edge){ from, to, label, o->out[from], o->in[to] };
	o->out[from] = o->in[to] = (uint32_t)o->nedges;
	return true;
}

void hd_order_graph_drop(struct hd_order_graph *o, size_t nedges)
{
	while (o->nedges > nedges) {
		const struct hd_order_edge *e = &o->edges[--o->nedges];

		o->out[e->from] = e->next_out;
		o->in[e->to] = e->next_in;
	}
}

static bool add_label(struct hd_order_graph *o, uint32_t label)
{
	if (label == HD_NO_LABEL)
		return true;
	if (!HD_ROOM(o->cycle, o->cycle_room, o->ncycle + 1))
		return false;
	o->cycle[o->ncycle++] = label;
	return true;
}

/* The labels on the way from @from to @to, by which to was reached. */
static enum hd_order_result trace_cycle(struct hd_order_graph *o, uint32_t from, uint32_t to)
{
	o->ncycle = 0;
	while (to != from) {
		uint32_t e = o->via[to];

		if (e && !add_label(o, o->edges[e - 1].label))
			return HD_ORDER_NO_MEMORY;
		to = e ? o->edges[e - 1].from : to - 1;
	}
	return HD_ORDER_CYCLE;
}

static void reach(struct hd_order_graph *o, uint32_t node, uint32_t stamp, uint32_t via,
		  size_t *depth)
{
	if (o->stamp[node] == stamp)
		return;
	o->stamp[node] = stamp;
	o->via[node] = via;
	o->stack[(*depth)++] = node;
}

/* All that comes after @start up to the place of @end; false: @end itself does. */
static bool go_forward(struct hd_order_graph *o, uint32_t start, uint32_t end, uint32_t stamp,
		       size_t *found)
{
	uint32_t last = o->place[end];
	size_t depth = 0;

	reach(o, start, stamp, 0, &depth);
	while (depth) {
		uint32_t node = o->stack[--depth];

		if (node == end)
			return false;
		o->after[(*found)++] = node;
		if (node + 1 < o->n && o->chained[node + 1] && o->place[node + 1] <= last)
			reach(o, node + 1, stamp, 0, &depth);
		for (uint32_t e = o->out[node]; e; e = o->edges[e - 1].next_out)
			if (o->place[o->edges[e - 1].to] <= last)
				reach(o, o->edges[e - 1].to, stamp, e, &depth);
	}
	return true;
}

static void go_backward(struct hd_order_graph *o, uint32_t start, uint32_t first, uint32_t stamp,
			size_t *found)
{
	size_t depth = 0;

	reach(o, start, stamp, 0, &depth);
	while (depth) {
		uint32_t node = o->stack[--depth];

		o->before[(*found)++] = node;
		if (o->chained[node] && o->place[node - 1] >= first)
			reach(o, node - 1, stamp, 0, &depth);
		for (uint32_t e = o->in[node]; e; e = o->edges[e - 1].next_in)
			if (o->place[o->edges[e - 1].from] >= first)
				reach(o, o->edges[e - 1].from, stamp, 0, &depth);
	}
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * Nodes to their places, sorted: they are unique, so their places say which is which. They lie
 * between @first and @last, and have @stamp.
 */
static void places_of(const struct hd_order_graph *o, uint32_t *nodes, size_t n, uint32_t stamp,
		      uint32_t first, uint32_t last, uint32_t *out)
{
	size_t k = 0;

	if ((last - first) / DENSE > n) {
		for (size_t i = 0; i < n; i++)
			out[i] = o->place[nodes[i]];
		qsort(out, n, sizeof(*out), by_number);
		for (size_t i = 0; i < n; i++)
			nodes[i] = o->node[out[i]];
		return;
	}
	for (uint32_t at = first; k < n; at++)
		if (o->stamp[o->node[at]] == stamp) {
			nodes[k] = o->node[at];
			out[k++] = at;
		}
}

/* Those of before first, then those of after, in the places that they all have now. */
static void reorder(struct hd_order_graph *o, size_t nbefore, size_t nafter, uint32_t first,
		    uint32_t last)
{
	uint32_t *pb = o->pool, *pa = o->pool + nbefore, *all = o->stack;
	size_t i = 0, j = 0, k = 0;

	places_of(o, o->before, nbefore, o->now, first, last, pb);
	places_of(o, o->after, nafter, o->now - 1, first, last, pa);
	while (i < nbefore || j < nafter)
		all[k++] = j == nafter || (i < nbefore && pb[i] < pa[j]) ? pb[i++] : pa[j++];
	for (k = 0; k < nbefore + nafter; k++) {
		uint32_t node = k < nbefore ? o->before[k] : o->after[k - nbefore];

		o->place[node] = all[k];
		o->node[all[k]] = node;
	}
	o->moved += nbefore + nafter;
}

enum hd_order_result hd_order_graph_add(struct hd_order_graph *o, uint32_t from, uint32_t to,
					uint32_t label)
{
	size_t nafter = 0, nbefore = 0;

	if (from == to) {
		o->ncycle = 0;
		return HD_ORDER_CYCLE;
	}
	if (o->place[from] > o->place[to]) {
		uint32_t first = o->place[to], last = o->place[from];

		o->now += 2; /* one stamp for each direction */
		if (!go_forward(o, to, from, o->now - 1, &nafter))
			return trace_cycle(o, to, from);
		go_backward(o, from, first, o->now, &nbefore);
		reorder(o, nbefore, nafter, first, last);
	}
	return store_edge(o, from, to, label) ? HD_ORDER_DONE : HD_ORDER_NO_MEMORY;
}
