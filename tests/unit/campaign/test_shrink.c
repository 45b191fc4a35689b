/*
 * Minimising schedules against imaginary programs, of which it is known which segments they
 * need to fail.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "campaign/shrink.h"
#include "common/rng.h"

#define MAX 64

struct program {
	bool needs[MAX]; /* the segment */
	bool cuts[MAX];	 /* and that it ends where it does */
	size_t n;
	size_t runs, limit; /* tries before it says stop; 0: any number */
	bool odd;	    /* fails only with an odd number of segments besides */
};

/* Each has a thread of its own, by which it is recognised and never joined with another. */
static struct hd_segment original(size_t i)
{
	return (struct hd_segment){ (uint32_t)(2 + i), (uint32_t)(1000 + i) };
}

static bool fails(const struct program *p, const struct hd_segment *list, size_t n)
{
	for (size_t i = 0; i < p->n; i++) {
		bool there = false, cut = false;

		for (size_t k = 0; k < n; k++) {
			if (list[k].thread != original(i).thread)
				continue;
			there = true;
			cut = list[k].count == original(i).count;
		}
		if ((p->needs[i] && !there) || (p->cuts[i] && !cut))
			return false;
	}
	return !p->odd || n % 2;
}

static size_t first(void *arg, const struct hd_shrink *s, size_t n)
{
	struct program *p = arg;

	for (size_t i = 0; i < n; i++) {
		size_t len;
		struct hd_segment *list = hd_shrink_variant(s, i, &len);
		bool failed;

		assert_non_null(list);
		failed = fails(p, list, len);
		free(list);
		if (p->limit && p->runs == p->limit)
			return HD_SHRINK_STOP;
		p->runs++;
		if (failed)
			return i;
	}
	return HD_SHRINK_NONE;
}

static struct hd_segment *whole(size_t n)
{
	struct hd_segment *list = calloc(n + 1, sizeof(*list));

	assert_non_null(list);
	for (size_t i = 0; i < n; i++)
		list[i] = original(i);
	return list;
}

/* Exactly what is needed remains, and only the needed preemptions. */
static void test_exactly_what_is_needed(void **state)
{
	struct hd_rng rng;

	hd_rng_seed(&rng, 7);
	for (int round = 0; round < 20000; round++) {
		struct program p = { .n = 1 + hd_rng_below(&rng, MAX) };
		struct hd_segment *list = whole(p.n);
		size_t n = p.n, want = 0, at = 0;

		for (size_t i = 0; i < p.n; i++) {
			p.cuts[i] = hd_rng_below(&rng, 8) == 0;
			p.needs[i] = p.cuts[i] || hd_rng_below(&rng, 8) == 0;
			want += p.needs[i];
		}
		assert_int_equal(hd_shrink(&list, &n, first, &p), HD_OK);
		assert_true(fails(&p, list, n));
		if (n != want)
			fail_msg("seed 7, round %d: %zu segments, needed are %zu", round, n, want);
		for (size_t i = 0; i < p.n; i++) {
			if (!p.needs[i])
				continue;
			assert_int_equal(list[at].thread, original(i).thread);
			assert_int_equal(list[at].count,
					 p.cuts[i] ? original(i).count : HD_SEGMENT_ON);
			at++;
		}
		free(list);
	}
}

/* Where leaving out one may need leaving out another: still nothing single can go. */
static void test_nothing_single_can_go(void **state)
{
	struct hd_rng rng;

	hd_rng_seed(&rng, 11);
	for (int round = 0; round < 5000; round++) {
		struct program p = { .n = 3 + 2 * hd_rng_below(&rng, 12), .odd = true };
		struct hd_segment *list = whole(p.n);
		size_t n = p.n;

		for (size_t i = 0; i < p.n; i++)
			p.needs[i] = hd_rng_below(&rng, 3) == 0;
		assert_int_equal(hd_shrink(&list, &n, first, &p), HD_OK);
		assert_true(fails(&p, list, n));
		for (size_t gone = 0; gone < n; gone++) {
			struct hd_segment less[MAX];

			memcpy(less, list, gone * sizeof(*less));
			memcpy(less + gone, list + gone + 1, (n - gone - 1) * sizeof(*less));
			if (fails(&p, less, n - 1))
				fail_msg("seed 11, round %d: segment %zu can go", round, gone);
		}
		free(list);
	}
}

/* It fails with the read of an older value, or with two preemptions: the read goes first. */
static size_t either_fails(void *arg, const struct hd_shrink *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t len, threads = 0, reads = 0;
		struct hd_segment *list = hd_shrink_variant(s, i, &len);

		for (size_t k = 0; k < len; k++) {
			reads += (list[k].thread & HD_SEGMENT_READ) != 0;
			threads += !(list[k].thread & HD_SEGMENT_READ);
		}
		free(list);
		if (reads || threads >= 2)
			return i;
	}
	return HD_SHRINK_NONE;
}

static void test_reads_first(void **state)
{
	struct hd_segment *list = whole(4);
	size_t n = 4;

	list[2].thread |= HD_SEGMENT_READ;
	assert_int_equal(hd_shrink(&list, &n, either_fails, NULL), HD_OK);
	assert_int_equal(n, 2);
	assert_int_equal((list[0].thread | list[1].thread) & HD_SEGMENT_READ, 0);
	free(list);
}

/* When told to stop, the best so far still fails. */
static void test_stopped(void **state)
{
	for (size_t limit = 1; limit < 100; limit++) {
		struct program p = { .n = 40,
				     .limit = limit,
				     .needs = { [3] = true, [30] = true } };
		struct hd_segment *list = whole(p.n);
		size_t n = p.n;

		assert_int_equal(hd_shrink(&list, &n, first, &p), HD_OK);
		assert_true(n >= 2 && fails(&p, list, n));
		assert_true(p.runs <= limit);
		free(list);
	}
}

/* Segments of one thread that become neighbours are one, but not two choices of waiters. */
static size_t keeps_ends(void *arg, const struct hd_shrink *s, size_t n)
{
	const struct hd_segment *want = arg;

	for (size_t i = 0; i < n; i++) {
		size_t len;
		struct hd_segment *list = hd_shrink_variant(s, i, &len);
		bool same = len == want[0].count && !memcmp(list, want + 1, len * sizeof(*list));

		free(list);
		if (same)
			return i;
	}
	return HD_SHRINK_NONE;
}

static void test_neighbours(void **state)
{
	const struct hd_segment joined[] = { { 0, 1 }, { 2, 12 } };
	const struct hd_segment apart[] = { { 0, 2 },
					    { 5 | HD_SEGMENT_WAKE, 1 },
					    { 5 | HD_SEGMENT_WAKE, 1 } };
	struct hd_segment *list = whole(3);
	size_t n = 3;

	list[0] = (struct hd_segment){ 2, 5 };
	list[1] = (struct hd_segment){ 3, 1 };
	list[2] = (struct hd_segment){ 2, 7 };
	assert_int_equal(hd_shrink(&list, &n, keeps_ends, (void *)joined), HD_OK);
	assert_int_equal(n, 1);
	assert_int_equal(list[0].count, 12);
	free(list);

	list = whole(3);
	n = 3;
	list[0] = list[2] = (struct hd_segment){ 5 | HD_SEGMENT_WAKE, 1 };
	assert_int_equal(hd_shrink(&list, &n, keeps_ends, (void *)apart), HD_OK);
	assert_int_equal(n, 2);
	free(list);
}

/* Somebody who can try all schedules with a bound, until the tries run out. */
struct bounded {
	uint32_t needs;	       /* preemptions */
	uint32_t tries, limit; /* bounds that can be gone through */
	uint32_t asked[MAX];
	uint32_t kept; /* preemptions of the best; UINT32_MAX: none */
};

static enum hd_bounded search(void *arg, uint32_t bound)
{
	struct bounded *b = arg;

	assert_true(b->tries < MAX);
	b->asked[b->tries++] = bound;
	if (b->tries > b->limit)
		return HD_BOUNDED_STOP;
	if (bound < b->needs)
		return HD_BOUNDED_NONE;
	b->kept = bound;
	return HD_BOUNDED_FOUND;
}

/* The smallest is found, with no bound left out and none tried after it. */
static void test_by_bound(void **state)
{
	for (uint32_t needs = 0; needs < 10; needs++) {
		for (uint32_t had = needs; had < 12; had++) {
			struct bounded b = { .needs = needs, .limit = MAX, .kept = UINT32_MAX };

			hd_shrink_by_bound(had, search, &b);
			assert_int_equal(b.tries, needs < had ? needs + 1 : had);
			assert_int_equal(b.kept, needs < had ? needs : UINT32_MAX);
			for (uint32_t i = 0; i < b.tries; i++)
				assert_int_equal(b.asked[i], i);
		}
	}
}

static void test_by_bound_stops(void **state)
{
	struct bounded b = { .needs = 5, .limit = 3, .kept = UINT32_MAX };

	hd_shrink_by_bound(9, search, &b);
	assert_int_equal(b.tries, 4);
	assert_int_equal(b.kept, UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exactly_what_is_needed),
		cmocka_unit_test(test_nothing_single_can_go),
		cmocka_unit_test(test_reads_first),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_neighbours),
		cmocka_unit_test(test_by_bound),
		cmocka_unit_test(test_by_bound_stops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
