/* SPDX-License-Identifier: BSD-2-Clause (it knows nothing of Valgrind, and tests use it) */
#include "cr_postdom.h"

struct walk {
	const struct cr_graph *g;
	unsigned *first; /* of a node's edges that lead to it, in @edge */
	unsigned *edge;  /* edges sorted by where they lead */
	unsigned *number; /* of nodes, in postorder of the reversed graph */
	unsigned *order; /* nodes by number */
	unsigned *stack, *cursor;
	unsigned *out_first, *out_edge; /* the same by where edges come from */
};

unsigned long cr_postdom_work(const struct cr_graph *g)
{
	return 2ul * (g->nodes + 2) + 2ul * g->edges + 4ul * (g->nodes + 1);
}

static void sort_edges(const struct cr_graph *g, const unsigned *key, unsigned *first,
		       unsigned *edge)
{
	for (unsigned i = 0; i <= g->nodes + 1; i++)
		first[i] = 0;
	for (unsigned i = 0; i < g->edges; i++)
		first[key[i] + 1]++;
	for (unsigned i = 0; i <= g->nodes; i++)
		first[i + 1] += first[i];
	for (unsigned i = 0; i < g->edges; i++)
		edge[first[key[i]]++] = i;
	for (unsigned i = g->nodes + 1; i > 0; i--)
		first[i] = first[i - 1];
	first[0] = 0;
}

/* Number what leads to the end, by a search against the edges. */
static unsigned number_nodes(struct walk *w)
{
	unsigned end = w->g->nodes, top = 0, numbered = 0;

	for (unsigned i = 0; i <= end; i++) {
		w->number[i] = CR_NO_NODE;
		w->cursor[i] = w->first[i];
	}
	w->stack[top++] = end;
	w->number[end] = 0; /* seen; the true number comes at the end */
	while (top) {
		unsigned n = w->stack[top - 1], m;

		if (w->cursor[n] == w->first[n + 1]) {
			w->order[numbered] = n;
			w->number[n] = numbered++;
			top--;
			continue;
		}
		m = w->g->from[w->edge[w->cursor[n]++]];
		if (w->number[m] == CR_NO_NODE) {
			w->number[m] = 0;
			w->stack[top++] = m;
		}
	}
	return numbered;
}

static unsigned meet(const struct walk *w, const unsigned *ipdom, unsigned a, unsigned b)
{
	while (a != b) {
		while (w->number[a] < w->number[b])
			a = ipdom[a];
		while (w->number[b] < w->number[a])
			b = ipdom[b];
	}
	return a;
}

static int improve(const struct walk *w, unsigned *ipdom, unsigned n)
{
	unsigned best = CR_NO_NODE;

	for (unsigned k = w->out_first[n]; k < w->out_first[n + 1]; k++) {
		unsigned m = w->g->to[w->out_edge[k]];

		if (w->number[m] == CR_NO_NODE || ipdom[m] == CR_NO_NODE)
			continue;
		best = best == CR_NO_NODE ? m : meet(w, ipdom, best, m);
	}
	if (best == ipdom[n])
		return 0;
	ipdom[n] = best;
	return 1;
}

void cr_postdom(const struct cr_graph *g, unsigned *ipdom, unsigned *work)
{
	unsigned end = g->nodes, reached;
	struct walk w = { .g = g };
	int changed = 1;

	w.first = work;
	w.out_first = w.first + end + 2;
	w.edge = w.out_first + end + 2;
	w.out_edge = w.edge + g->edges;
	w.number = w.out_edge + g->edges;
	w.order = w.number + end + 1;
	w.stack = w.order + end + 1;
	w.cursor = w.stack + end + 1;
	sort_edges(g, g->to, w.first, w.edge);
	sort_edges(g, g->from, w.out_first, w.out_edge);
	reached = number_nodes(&w);
	for (unsigned i = 0; i < end; i++)
		ipdom[i] = CR_NO_NODE;
	ipdom[end] = end;
	while (changed) {
		changed = 0;
		for (unsigned i = reached - 1; i > 0; i--)
			changed |= improve(&w, ipdom, w.order[i - 1]);
	}
}
