/* The order that forks and joins force, against reachability in the graph of all moments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/must_order.h"
#include "common/rng.h"

#define SEED	11
#define THREADS 12
#define STEPS	150
#define ROUNDS	400

/* Every stretch between two forks and joins is a node; at[] is where each thread is. */
struct graph {
	bool reaches[THREADS + STEPS * 2 + 1][THREADS + STEPS * 2 + 1];
	size_t n;
	size_t at[THREADS];
	hd_moment moment[THREADS + STEPS * 2 + 1];
	enum { UNBORN, LIVE, OVER } state[THREADS];
};

static void edge(struct graph *g, size_t from, size_t to)
{
	for (size_t i = 0; i < g->n; i++) {
		if (i != from && !g->reaches[i][from])
			continue;
		g->reaches[i][to] = true;
		for (size_t k = 0; k < g->n; k++)
			g->reaches[i][k] |= g->reaches[to][k];
	}
}

static size_t next_node(struct graph *g, uint32_t thread)
{
	size_t new = g->n++;

	edge(g, g->at[thread], new);
	g->at[thread] = new;
	return new;
}

static void ask(struct graph *g, struct hd_must *m, uint32_t thread)
{
	g->moment[g->at[thread]] = hd_must_now(m, thread);
	assert_int_not_equal(g->moment[g->at[thread]], 0);
}

/* Threads are forked once, and do nothing before that nor after they were joined. */
static void step(struct graph *g, struct hd_must *m, struct hd_rng *r)
{
	uint32_t a = (uint32_t)hd_rng_below(r, THREADS), b = (uint32_t)hd_rng_below(r, THREADS);

	if (g->state[a] != LIVE || a == b)
		return;
	if (g->state[b] == UNBORN) {
		assert_true(hd_must_fork(m, a, b));
		edge(g, g->at[a], g->at[b]);
		next_node(g, a);
		g->state[b] = LIVE;
	} else if (b && hd_rng_below(r, 3) == 0) {
		assert_true(hd_must_join(m, a, b));
		edge(g, g->at[b], next_node(g, a));
		g->state[b] = OVER;
	} else {
		ask(g, m, a);
	}
}

static void test_random(void **state)
{
	struct hd_rng r;

	hd_rng_seed(&r, SEED);
	for (int round = 0; round < ROUNDS; round++) {
		struct graph *g = calloc(1, sizeof(*g));
		struct hd_must m = { 0 };

		for (; g->n < THREADS; g->n++)
			g->at[g->n] = g->n;
		g->state[0] = LIVE;
		for (int i = 0; i < STEPS; i++)
			step(g, &m, &r);
		for (size_t i = 0; i < g->n; i++) {
			for (size_t k = 0; k < g->n; k++) {
				if (g->moment[i] && g->moment[k] && i != k)
					assert_int_equal(
						hd_must_before(&m, g->moment[i], g->moment[k]),
						g->reaches[i][k]);
			}
		}
		hd_must_free(&m);
		free(g);
	}
}

/* One after the other: each is before all later ones, and memory follows their number. */
static void test_many(void **state)
{
	const uint32_t n = 100000;
	struct hd_must m = { 0 };
	hd_moment *of = calloc(n + 1, sizeof(*of));

	for (uint32_t i = 1; i <= n; i++) {
		assert_true(hd_must_fork(&m, 0, i));
		of[i] = hd_must_now(&m, i);
		assert_int_not_equal(hd_must_now(&m, 0), 0);
		assert_true(hd_must_join(&m, 0, i));
	}
	for (uint32_t i = 1; i < n; i += 997) {
		assert_true(hd_must_before(&m, of[i], of[i + 1]));
		assert_true(hd_must_before(&m, of[i], of[n]));
		assert_false(hd_must_before(&m, of[n], of[i]));
	}
	assert_true(m.nnews <= 2 * n + 2);
	hd_must_free(&m);
	free(of);
}

/* Each starts the next: what the first did is before all, though it is many parents away. */
static void test_deep(void **state)
{
	const uint32_t n = 2000;
	struct hd_must m = { 0 };
	hd_moment first = hd_must_now(&m, 0), last;

	for (uint32_t i = 1; i <= n; i++)
		assert_true(hd_must_fork(&m, i - 1, i));
	last = hd_must_now(&m, n);
	assert_true(hd_must_before(&m, first, last));
	assert_false(hd_must_before(&m, last, first));
	assert_false(hd_must_before(&m, hd_must_now(&m, 5), last));
	hd_must_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_random),
					    cmocka_unit_test(test_many),
					    cmocka_unit_test(test_deep) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
