/*
 * Immediate postdominators against the definition: n is postdominated by m if the end cannot
 * be reached from n once m is taken away.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/rng.h"
#include "correlate/cr_postdom.h"

#define NODES 12
#define EDGES 40

struct random_graph {
	unsigned nodes, edges, from[EDGES], to[EDGES];
};

/* Can the end be reached from @n without @without? */
static int reaches(const struct random_graph *g, unsigned n, unsigned without)
{
	char seen[NODES + 1] = { 0 };
	int grew = 1;

	if (n == without)
		return 0;
	seen[n] = 1;
	while (grew) {
		grew = 0;
		for (unsigned i = 0; i < g->edges; i++) {
			if (!seen[g->from[i]] || seen[g->to[i]] || g->to[i] == without)
				continue;
			seen[g->to[i]] = 1;
			grew = 1;
		}
	}
	return seen[g->nodes];
}

static int postdominates(const struct random_graph *g, unsigned m, unsigned n)
{
	return m == n || !reaches(g, n, m);
}

/* The strict postdominator of @n that all its other strict ones postdominate. */
static unsigned by_definition(const struct random_graph *g, unsigned n)
{
	if (!reaches(g, n, CR_NO_NODE))
		return CR_NO_NODE;
	for (unsigned m = 0; m <= g->nodes; m++) {
		int nearest = m != n && (m == g->nodes || postdominates(g, m, n));

		for (unsigned o = 0; nearest && o < g->nodes; o++) {
			if (o != n && o != m && postdominates(g, o, n) &&
			    !(m < g->nodes && postdominates(g, o, m)))
				nearest = 0;
		}
		if (nearest)
			return m;
	}
	return CR_NO_NODE;
}

static void make(struct random_graph *g, struct hd_rng *rng)
{
	g->nodes = 1 + (unsigned)hd_rng_below(rng, NODES);
	g->edges = 0;
	for (unsigned n = 0; n < g->nodes; n++) {
		unsigned out =
			(unsigned)hd_rng_below(rng, 4); /* none: a loop without end, or dead */

		for (unsigned i = 0; i < out && g->edges < EDGES; i++) {
			g->from[g->edges] = n;
			g->to[g->edges++] = (unsigned)hd_rng_below(rng, g->nodes + 1);
		}
	}
}

static void check(const struct random_graph *g, uint64_t seed)
{
	const struct cr_graph graph = { g->nodes, g->edges, g->from, g->to };
	unsigned ipdom[NODES + 1], work[6 * (NODES + 2) + 2 * EDGES];

	assert_true(cr_postdom_work(&graph) <= sizeof(work) / sizeof(work[0]));
	cr_postdom(&graph, ipdom, work);
	for (unsigned n = 0; n < g->nodes; n++) {
		unsigned wanted = by_definition(g, n);

		if (ipdom[n] == wanted)
			continue;
		printf("seed %llu: node %u has %d, not %d\n", (unsigned long long)seed, n,
		       (int)ipdom[n], (int)wanted);
		for (unsigned i = 0; i < g->edges; i++)
			printf("  %u -> %u\n", g->from[i], g->to[i]);
		fail();
	}
}

static void random_graphs(void **state)
{
	const char *full = getenv("HEDDLE_TEST_FULL");
	uint64_t count = full && *full == '1' ? 300000 : 20000;

	(void)state;
	for (uint64_t seed = 1; seed <= count; seed++) {
		struct random_graph g;
		struct hd_rng rng;

		hd_rng_seed(&rng, seed);
		make(&g, &rng);
		check(&g, seed);
	}
}

/* if (a) b; else c; d; while (e) f; */
static void a_function(void **state)
{
	static const unsigned from[] = { 0, 0, 1, 2, 3, 4, 4, 5 };
	static const unsigned to[] = { 1, 2, 3, 3, 4, 5, 6, 4 };
	const struct cr_graph g = { 6, 8, from, to };
	unsigned ipdom[7], work[100];

	(void)state;
	cr_postdom(&g, ipdom, work);
	assert_int_equal(ipdom[0], 3);
	assert_int_equal(ipdom[1], 3);
	assert_int_equal(ipdom[2], 3);
	assert_int_equal(ipdom[3], 4);
	assert_int_equal(ipdom[4], 6);
	assert_int_equal(ipdom[5], 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_function),
					    cmocka_unit_test(random_graphs) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
