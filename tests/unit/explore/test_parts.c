/*
 * An exploration in parts, with its position written and read in between, does the same executions in
 * the same order as a whole one; positions that are cut short or changed are refused or harmless.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/rng.h"
#include "explore/position.h"
#include "model.h"

#define SEED	 20261
#define PROGRAMS 300

/* What was executed, in order. */
struct story {
	struct model m;
	uint64_t hash, n;
};

static enum hd_err run(void *arg, const struct hd_xrequest *request, struct hd_xlog *log,
		       struct hd_errbuf *eb)
{
	return model_run(&((struct story *)arg)->m, request, log, eb);
}

static void add(struct story *s, uint64_t v)
{
	s->hash = (s->hash ^ v) * 0x9e3779b97f4a7c15ull;
	s->hash ^= s->hash >> 31;
}

static bool seen(void *arg, const struct hd_xlog *log, const struct hd_xstats *stats)
{
	struct story *s = arg;

	s->n++;
	add(s, log->end);
	add(s, stats->executions);
	add(s, stats->states);
	for (size_t i = 0; i < log->nnodes; i++)
		add(s, log->nodes[i].chosen);
	return true;
}

static struct model random_model(struct hd_rng *rng)
{
	static const enum model_kind kinds[] = {
		M_READ, M_WRITE, M_ADD, M_SKIP_IF, M_POST, M_DOWN
	};
	struct model m = { .nthreads = 2 + (unsigned)hd_rng_below(rng, 2) };

	for (unsigned t = 0; t < m.nthreads; t++) {
		m.forked_at_start[t] = true;
		m.nops[t] = 1 + (unsigned)hd_rng_below(rng, 3);
		for (unsigned i = 0; i < m.nops[t]; i++)
			m.ops[t][i] = (struct model_op){ kinds[hd_rng_below(rng, 6)],
							 (unsigned)hd_rng_below(rng, 2) };
	}
	return m;
}

static char *write_position(const struct hd_xposition *p, size_t *len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, len);

	assert_non_null(out);
	assert_true(hd_xposition_write(p, out));
	assert_int_equal(fclose(out), 0);
	return text;
}

static enum hd_err read_position(char *text, size_t len, struct hd_xposition **out)
{
	FILE *in = fmemopen(text, len, "r");
	enum hd_err err;

	assert_non_null(in);
	err = hd_xposition_read(in, out);
	fclose(in);
	return err;
}

/* Through a file and back. */
static void store(struct hd_xposition **p)
{
	size_t len;
	char *text = write_position(*p, &len);

	hd_xposition_free(*p);
	assert_int_equal(read_position(text, len, p), HD_OK);
	free(text);
}

static struct hd_xstats in_parts(struct story *s, struct hd_xoptions options, struct hd_rng *rng)
{
	struct hd_xposition *position = NULL;
	struct hd_xstats stats;
	struct hd_errbuf eb;

	options.position = &position;
	do {
		options.max_executions = rng ? 1 + hd_rng_below(rng, 5) : 0;
		if (position)
			store(&position);
		assert_int_equal(hd_explore(&options, run, seen, s, &stats, &eb), HD_OK);
	} while (!stats.complete && stats.executions < 400);
	hd_xposition_free(position);
	return stats;
}

static void test_parts_are_a_whole(void **state)
{
	static const enum hd_xstrategy strategies[] = { HD_X_DPOR, HD_X_NAIVE, HD_X_BOUNDED };
	struct hd_rng rng;

	print_message("seed %d\n", SEED);
	hd_rng_seed(&rng, SEED);
	for (unsigned i = 0; i < PROGRAMS; i++) {
		struct hd_xoptions options = { .strategy = strategies[i % 3], .preemptions = 1 };
		struct story whole = { .m = random_model(&rng) }, parts = whole;
		struct hd_xstats a = in_parts(&whole, options, NULL), b;

		if (a.executions > 400)
			continue;
		b = in_parts(&parts, options, &rng);
		assert_int_equal(parts.n, whole.n);
		assert_true(parts.hash == whole.hash);
		assert_int_equal(a.transitions, b.transitions);
		assert_int_equal(a.depth, b.depth);
		assert_int_equal(a.redundant, b.redundant);
	}
}

/* Where three threads with sleep sets stand after a few executions. */
static char *some_position(size_t *len)
{
	struct hd_xposition *position = NULL;
	struct hd_xoptions options = { .strategy = HD_X_DPOR,
				       .max_executions = 4,
				       .position = &position };
	struct story s = { .m = { .nthreads = 3 } };
	struct hd_xstats stats;
	struct hd_errbuf eb;
	char *text;

	for (unsigned t = 0; t < 3; t++) {
		s.m.forked_at_start[t] = true;
		s.m.nops[t] = 2;
		s.m.ops[t][0] = s.m.ops[t][1] = (struct model_op){ M_ADD, 0 };
	}
	assert_int_equal(hd_explore(&options, run, seen, &s, &stats, &eb), HD_OK);
	assert_non_null(position);
	text = write_position(position, len);
	hd_xposition_free(position);
	return text;
}

static void test_positions_cut_short(void **state)
{
	size_t len;
	char *text = some_position(&len);

	for (size_t n = 1; n < len; n++) {
		struct hd_xposition *p;

		assert_int_equal(read_position(text, n, &p), HD_ERR_CORRUPT);
		assert_null(p);
	}
	free(text);
}

/* Any outcome but a crash; the sanitizers look for more. */
static void test_positions_changed(void **state)
{
	size_t len;
	char *text = some_position(&len);
	struct hd_rng rng;

	hd_rng_seed(&rng, SEED);
	for (unsigned i = 0; i < 20000; i++) {
		size_t at = hd_rng_below(&rng, len);
		char was = text[at];
		struct hd_xposition *p;

		text[at] = (char)hd_rng_next(&rng);
		if (read_position(text, len, &p) == HD_OK)
			hd_xposition_free(p);
		text[at] = was;
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts_are_a_whole),
		cmocka_unit_test(test_positions_cut_short),
		cmocka_unit_test(test_positions_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
