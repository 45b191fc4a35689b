/*
 * The graph of orders against a table of what reaches what, and the solver over clauses and ties
 * against trying all values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/rng.h"
#include "predict/order_solver.h"

#define SEED  20261116
#define NODES 12
#define EDGES 40
#define TIES  7
#define RULES 14

/* Threads of a random number of nodes each, in a random order that agrees with them. */
static void lay_out(struct hd_order_graph *g, struct hd_rng *rng)
{
	uint32_t left[NODES], n = g->n, k = 0;

	for (uint32_t i = 0; i < n; i++) {
		g->chained[i] = i && hd_rng_below(rng, 3);
		left[i] = i;
	}
	while (n) {
		uint32_t at = (uint32_t)hd_rng_below(rng, n);

		/* The first node of its thread that is left */
		while (at && left[at - 1] + 1 == left[at] && g->chained[left[at]])
			at--;
		g->place[left[at]] = k;
		g->node[k++] = left[at];
		memmove(left + at, left + at + 1, (--n - at) * sizeof(*left));
	}
}

struct edge {
	uint32_t from, to;
};

static void reach(const struct hd_order_graph *g, const struct edge *edges, size_t n,
		  bool table[NODES][NODES])
{
	memset(table, 0, sizeof(bool[NODES][NODES]));
	for (uint32_t i = 1; i < g->n; i++)
		table[i - 1][i] = g->chained[i];
	for (size_t i = 0; i < n; i++)
		table[edges[i].from][edges[i].to] = true;
	for (uint32_t k = 0; k < g->n; k++)
		for (uint32_t i = 0; i < g->n; i++)
			for (uint32_t j = 0; j < g->n; j++)
				table[i][j] |= table[i][k] && table[k][j];
}

/* The labels of a cycle, with the new edge, are a cycle. */
static void check_cycle(const struct hd_order_graph *g, const struct edge *edges, struct edge last)
{
	struct edge some[EDGES + 1];
	bool table[NODES][NODES];
	size_t n = 0;

	for (size_t i = 0; i < g->ncycle; i++)
		some[n++] = edges[g->cycle[i]];
	some[n++] = last;
	reach(g, some, n, table);
	assert_true(table[last.to][last.to]);
}

static void graph_against_a_table(void **state)
{
	int cycles = 0, edges_kept = 0;
	struct hd_rng rng;

	(void)state;
	print_message("seed %d\n", SEED);
	hd_rng_seed(&rng, SEED);
	for (int run = 0; run < 4000; run++) {
		struct hd_order_graph g;
		struct edge edges[EDGES];
		bool table[NODES][NODES];
		size_t n = 0;

		assert_true(hd_order_graph_init(&g, 4 + (uint32_t)hd_rng_below(&rng, NODES - 3)));
		lay_out(&g, &rng);
		for (int i = 0; i < EDGES && n < EDGES; i++) {
			struct edge e = { (uint32_t)hd_rng_below(&rng, g.n),
					  (uint32_t)hd_rng_below(&rng, g.n) };
			enum hd_order_result r;

			if (n && hd_rng_below(&rng, 10) == 0) {
				n = hd_rng_below(&rng, n);
				hd_order_graph_drop(&g, n);
			}
			reach(&g, edges, n, table);
			r = hd_order_graph_add(&g, e.from, e.to, (uint32_t)n);
			assert_int_equal(r, e.from == e.to || table[e.to][e.from] ? HD_ORDER_CYCLE
										  : HD_ORDER_DONE);
			if (r == HD_ORDER_CYCLE) {
				check_cycle(&g, edges, e);
				cycles++;
			} else {
				edges[n++] = e;
				edges_kept++;
			}
			reach(&g, edges, n, table);
			for (uint32_t a = 0; a < g.n; a++) {
				assert_int_equal(g.node[g.place[a]], a);
				for (uint32_t b = 0; b < g.n; b++)
					assert_true(!table[a][b] || g.place[a] < g.place[b]);
			}
		}
		hd_order_graph_free(&g);
	}
	assert_true(cycles > 10000 && edges_kept > 10000);
}

/* --- the solver --- */

struct problem {
	struct edge ties[TIES];
	uint32_t clauses[RULES][3];
	uint32_t n; /* nodes */
};

/* Is there a solution? @values: bits of all variables that are true */
static bool satisfies(const struct hd_order_graph *g, const struct problem *p, uint32_t values)
{
	struct edge edges[TIES];
	bool table[NODES][NODES];
	size_t n = 0;

	for (uint32_t i = 1; i < p->n; i++)
		if (g->chained[i] && values >> i & 1 && !(values >> (i - 1) & 1))
			return false;
	for (size_t c = 0; c < RULES; c++) {
		bool holds = false;

		for (size_t k = 0; k < 3; k++) {
			uint32_t lit = p->clauses[c][k];

			holds |= (values >> (lit >> 1) & 1) != (lit & 1);
		}
		if (!holds)
			return false;
	}
	for (size_t i = 0; i < TIES; i++)
		if (values >> (p->n + i) & 1)
			edges[n++] = p->ties[i];
	reach(g, edges, n, table);
	for (uint32_t i = 0; i < p->n; i++)
		if (table[i][i])
			return false;
	return true;
}

/* Decide whatever is open, in some order, until all is known. */
static bool solve(struct hd_order_solver *s, struct hd_rng *rng)
{
	bool back;

	while (hd_os_settle(s, &back)) {
		uint32_t open = UINT32_MAX, from = (uint32_t)hd_rng_below(rng, s->nvars);

		for (uint32_t i = 0; i < s->nvars && open == UINT32_MAX; i++)
			if (!s->value[(from + i) % s->nvars])
				open = (from + i) % s->nvars;
		if (open == UINT32_MAX)
			return true;
		if (hd_rng_below(rng, 20) == 0)
			hd_os_restart(s);
		else
			hd_os_decide(s, 2 * open + (uint32_t)hd_rng_below(rng, 2));
	}
	assert_true(s->contradiction && !s->no_memory);
	return false;
}

static void solver_against_all_values(void **state)
{
	int counts[2] = { 0 };
	struct hd_rng rng;

	(void)state;
	hd_rng_seed(&rng, SEED);
	for (int run = 0; run < 2000; run++) {
		struct problem p = { .n = 4 + (uint32_t)hd_rng_below(&rng, 3) };
		struct hd_order_solver s;
		bool expected = false;
		uint32_t values = 0, all;

		assert_true(hd_os_init(&s, p.n));
		lay_out(&s.graph, &rng);
		for (size_t i = 0; i < TIES; i++) {
			p.ties[i].from = (uint32_t)hd_rng_below(&rng, p.n);
			p.ties[i].to =
				(p.ties[i].from + 1 + (uint32_t)hd_rng_below(&rng, p.n - 1)) % p.n;
			assert_int_equal(hd_os_tie(&s, p.ties[i].from, p.ties[i].to), p.n + i);
		}
		all = 1u << (p.n + TIES);
		for (size_t c = 0; c < RULES; c++)
			for (size_t k = 0; k < 3; k++)
				p.clauses[c][k] = 2 * (uint32_t)hd_rng_below(&rng, p.n + TIES) +
						  (hd_rng_below(&rng, 3) == 0);
		for (uint32_t v = 0; v < all && !expected; v++)
			expected = satisfies(&s.graph, &p, v);
		/* Half of the clauses come when something is decided already. */
		for (size_t c = 0; c < RULES; c++) {
			bool back, late = c >= RULES / 2;

			if (late && hd_os_settle(&s, &back) && !s.value[c % s.nvars])
				hd_os_decide(&s, HD_YES(c % s.nvars));
			hd_os_clause(&s, p.clauses[c], 3);
		}
		assert_int_equal(solve(&s, &rng), expected);
		for (uint32_t v = 0; expected && v < s.nvars; v++)
			values |= (s.value[v] > 0 ? 1u : 0) << v;
		assert_true(!expected || satisfies(&s.graph, &p, values));
		counts[expected]++;
		hd_os_free(&s);
	}
	print_message("%d with a solution, %d without\n", counts[1], counts[0]);
	assert_true(counts[0] > 200 && counts[1] > 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(graph_against_a_table),
		cmocka_unit_test(solver_against_all_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
