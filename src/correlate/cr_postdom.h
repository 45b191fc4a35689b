/* SPDX-License-Identifier: BSD-2-Clause (it knows nothing of Valgrind, and tests use it) */
/*
 * Immediate postdominators of a graph: for each node the first one that every way to the
 * end leads through. By the iterative algorithm of Cooper, Harvey and Kennedy on the
 * reversed graph. Knows nothing of Valgrind, so that it can be tested by itself.
 */
#ifndef CR_POSTDOM_H
#define CR_POSTDOM_H

#define CR_NO_NODE 0xffffffffu

struct cr_graph {
	unsigned nodes; /* 0 .. nodes - 1; @nodes itself is the end */
	unsigned edges;
	const unsigned *from, *to; /* of edges; to may be the end */
};

/*
 * @ipdom has nodes + 1 entries: the immediate postdominator of each node, @nodes where
 * only the end is, CR_NO_NODE where no way leads to the end. @work has
 * cr_postdom_work() words.
 */
void cr_postdom(const struct cr_graph *g, unsigned *ipdom, unsigned *work);
unsigned long cr_postdom_work(const struct cr_graph *g);

#endif
