/*
 * The tree of a task program against what its constructs mean: each step of a random program carries
 * the set of steps that are over when it begins. Large trees against walks from parent to parent.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/tasks/dpst.h"
#include "common/rng.h"

#define SEED	 20261116
#define PROGRAMS 50000
#define STEPS	 24 /* at most, of a program */
#define LATER	 64

/* Where a task is: in the tree, what is over, and what its innermost waiting finish waits for. */
struct place {
	hd_dpst_id node;
	uint64_t over;
	uint64_t *awaited;
	int depth; /* of constructs that it may still nest */
};

struct program {
	struct hd_dpst tree;
	struct hd_rng *r;
	hd_dpst_id step[STEPS];
	uint64_t before[STEPS]; /* bit i: step i is over when this one begins */
	int steps;
	struct place later[LATER]; /* tasks that have not begun */
	int nlater;
};

static void do_step(struct program *p, struct place *at)
{
	if (p->steps == STEPS)
		return;
	p->before[p->steps] = at->over;
	p->step[p->steps] = hd_dpst_add(&p->tree, at->node, HD_DPST_STEP);
	at->over |= 1ull << p->steps;
	*at->awaited |= 1ull << p->steps;
	p->steps++;
}

static void do_body(struct program *p, struct place *at);

/* A task runs at once, or begins at the end of a finish around it: later nodes may be left of others. */
static void do_async(struct program *p, const struct place *at)
{
	struct place child = *at;

	child.node = hd_dpst_add(&p->tree, at->node, HD_DPST_ASYNC);
	if (p->nlater < LATER && hd_rng_below(p->r, 2))
		p->later[p->nlater++] = child;
	else
		do_body(p, &child);
}

static void do_later(struct program *p, const uint64_t *awaited)
{
	for (int i = 0; i < p->nlater;) {
		struct place child = p->later[i];

		if (child.awaited == awaited) {
			p->later[i] = p->later[--p->nlater];
			do_body(p, &child);
			i = 0;
		} else {
			i++;
		}
	}
}

static void do_finish(struct program *p, struct place *at)
{
	struct place inner = *at;
	uint64_t awaited = 0;

	inner.node = hd_dpst_add(&p->tree, at->node, HD_DPST_FINISH);
	inner.awaited = &awaited;
	do_body(p, &inner);
	do_later(p, &awaited);
	at->over = inner.over | awaited;
	*at->awaited |= awaited;
}

/* It is taken for a finish until it ends, and then did not wait. */
static void do_scope(struct program *p, struct place *at)
{
	struct place inner = *at;

	inner.node = hd_dpst_add(&p->tree, at->node, HD_DPST_FINISH);
	do_body(p, &inner);
	at->over = inner.over;
	hd_dpst_make_scope(&p->tree, inner.node);
}

static void do_body(struct program *p, struct place *at)
{
	at->depth--;
	for (uint64_t n = 1 + hd_rng_below(p->r, 4); n; n--) {
		uint64_t what = at->depth > 0 ? hd_rng_below(p->r, 8) : 0;

		if (what < 3)
			do_step(p, at);
		else if (what < 6)
			do_async(p, at);
		else if (what < 7)
			do_finish(p, at);
		else
			do_scope(p, at);
	}
	at->depth++;
}

static unsigned long compare_steps(struct program *p)
{
	unsigned long parallel = 0;

	for (int a = 0; a < p->steps; a++) {
		for (int b = 0; b < p->steps; b++) {
			bool a_before = p->before[b] >> a & 1, b_before = p->before[a] >> b & 1;
			bool beside = a != b && !a_before && !b_before;

			assert_int_equal(hd_dpst_before(&p->tree, p->step[a], p->step[b]),
					 a_before);
			assert_int_equal(hd_dpst_parallel(&p->tree, p->step[a], p->step[b]),
					 beside);
			parallel += beside;
		}
	}
	return parallel;
}

static void test_order_of_steps(void **state)
{
	const char *seed = getenv("HEDDLE_TEST_SEED");
	unsigned long parallel = 0, pairs = 0;
	struct hd_rng r;

	hd_rng_seed(&r, seed ? strtoull(seed, NULL, 0) : SEED);
	for (int i = 0; i < PROGRAMS; i++) {
		struct program p = { .r = &r };
		uint64_t awaited = 0;
		struct place at = { .node = HD_DPST_ROOT, .awaited = &awaited, .depth = 5 };

		assert_true(hd_dpst_init(&p.tree));
		do_body(&p, &at);
		do_later(&p, &awaited);
		parallel += compare_steps(&p);
		pairs += (unsigned long)p.steps * (unsigned long)p.steps;
		hd_dpst_free(&p.tree);
	}
	print_message("HEDDLE_TEST_SEED=%s: %lu of %lu pairs of steps are parallel\n",
		      seed ? seed : "20261116", parallel, pairs);
	assert_in_range(parallel, pairs / 10, pairs - pairs / 10);
}

/* --- large trees --- */

static struct hd_dpst_meeting meet_by_parents(const struct hd_dpst *t, hd_dpst_id a, hd_dpst_id b)
{
	struct hd_dpst_meeting m = { .towards_a = a, .towards_b = b };

	while (a != b) { /* a parent is older than its children */
		hd_dpst_id *younger = a > b ? &a : &b;

		*(a > b ? &m.towards_a : &m.towards_b) = *younger;
		*younger = t->nodes[*younger].parent;
	}
	m.lca = a;
	return m;
}

/* Many questions about one node, for answers that are remembered in the same place. */
static void compare_meetings(struct hd_dpst *t, struct hd_rng *r, int queries)
{
	hd_dpst_id b = 1;

	while (queries--) {
		hd_dpst_id a = 1 + (hd_dpst_id)hd_rng_below(r, t->count - 1);
		struct hd_dpst_meeting want, got;

		if (queries % 100 == 99)
			b = 1 + (hd_dpst_id)hd_rng_below(r, t->count - 1);
		want = meet_by_parents(t, a, b);
		got = hd_dpst_meet(t, a, b);

		if (want.lca == a || want.lca == b) /* no two steps are like that */
			continue;
		assert_int_equal(got.lca, want.lca);
		assert_int_equal(got.towards_a, want.towards_a);
		assert_int_equal(got.towards_b, want.towards_b);
		assert_int_equal(hd_dpst_lca_depth(t, a, b), hd_dpst_depth(t, want.lca));
	}
}

/* A new node's parent is one of the last @window. */
static void try_shape(uint32_t nodes, uint32_t window, bool reserve)
{
	struct hd_dpst t;
	struct hd_rng r;

	hd_rng_seed(&r, SEED + window);
	assert_true(hd_dpst_init(&t));
	assert_true(!reserve || hd_dpst_reserve(&t));
	while (t.count < nodes) {
		uint32_t back =
			(uint32_t)hd_rng_below(&r, window < t.count - 1 ? window : t.count - 1);

		assert_int_not_equal(hd_dpst_add(&t, t.count - 1 - back, HD_DPST_ASYNC), 0);
	}
	compare_meetings(&t, &r, window < 10 ? 300 : 30000);
	hd_dpst_free(&t);
}

static void test_large_trees(void **state)
{
	try_shape(500, 100, false);
	try_shape(200000, 2, false); /* two thirds of it deep */
	try_shape(200000, 5, true);
	try_shape(200000, 100, false);
	try_shape(1000000, 1000000, false); /* as flat as chance makes it */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_of_steps),
		cmocka_unit_test(test_large_trees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
