/* Sets of locks against plain bit sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/locks/acquisition.h"
#include "common/rng.h"

#define SEED  7
#define LOCKS 10
#define SETS  200

/* A set as bits: held at all, and held exclusively. */
struct bits {
	unsigned held, exclusive;
};

static uint64_t lock_of(unsigned bit)
{
	return 0x7f0000001000ull + bit * 40;
}

static void expect_same(const struct hd_locksets *s, hd_lockset set, struct bits want)
{
	struct bits got = { 0, 0 };
	const bool *exclusive;
	const uint64_t *locks;
	size_t n;

	locks = hd_lockset_members(s, set, &n, &exclusive);
	for (size_t i = 0; i < n; i++) {
		unsigned bit = (unsigned)((locks[i] - lock_of(0)) / 40);

		assert_int_equal(lock_of(bit), locks[i]);
		assert_false(got.held & 1u << bit);
		got.held |= 1u << bit;
		got.exclusive |= (unsigned)exclusive[i] << bit;
	}
	assert_int_equal(got.held, want.held);
	assert_int_equal(got.exclusive, want.exclusive);
}

/* Each step makes a new set out of known ones, both ways, and compares. */
static void step(struct hd_locksets *s, struct hd_rng *r, hd_lockset *sets, struct bits *bits)
{
	size_t a = hd_rng_below(r, SETS), b = hd_rng_below(r, SETS), to = hd_rng_below(r, SETS);
	unsigned lock = (unsigned)hd_rng_below(r, LOCKS), exclusive = (unsigned)hd_rng_below(r, 2);
	struct bits p = bits[a], q = bits[b], want;
	hd_lockset got;

	switch (hd_rng_below(r, 5)) {
	case 0:
	case 1:
		want = (struct bits){ p.held | 1u << lock, p.exclusive | exclusive << lock };
		got = hd_lockset_with(s, sets[a], lock_of(lock), exclusive);
		break;
	case 2:
		want = (struct bits){ p.held & ~(1u << lock), p.exclusive & ~(1u << lock) };
		got = hd_lockset_without(s, sets[a], lock_of(lock));
		break;
	case 3:
		want = (struct bits){ p.held & q.held, p.exclusive & q.exclusive };
		got = hd_lockset_meet(s, sets[a], sets[b]);
		assert_int_equal(got, hd_lockset_meet(s, sets[b], sets[a]));
		break;
	default:
		want = (struct bits){ p.exclusive, p.exclusive };
		got = hd_lockset_exclusive(s, sets[a]);
		break;
	}
	expect_same(s, got, want);
	assert_int_equal(hd_lockset_excludes(s, sets[a], sets[b]),
			 (p.held & q.held & (p.exclusive | q.exclusive)) != 0);
	/* Equal numbers exactly where the sets are equal. */
	assert_int_equal(sets[a] == sets[b], p.held == q.held && p.exclusive == q.exclusive);
	sets[to] = got;
	bits[to] = want;
}

static void test_against_bits(void **state)
{
	struct hd_locksets *s = hd_locksets_new();
	static hd_lockset sets[SETS];
	static struct bits bits[SETS];
	struct hd_rng r;

	(void)state;
	printf("seed %d\n", SEED);
	hd_rng_seed(&r, SEED);
	for (unsigned i = 0; i < 300000; i++)
		step(s, &r, sets, bits);
	assert_false(hd_locksets_failed(s));
	hd_locksets_free(s);
}

static void test_all(void **state)
{
	struct hd_locksets *s = hd_locksets_new();
	hd_lockset one = hd_lockset_with(s, HD_LOCKSET_EMPTY, 8, false);
	size_t n;

	(void)state;
	assert_int_equal(hd_lockset_meet(s, HD_LOCKSET_ALL, one), one);
	assert_int_equal(hd_lockset_meet(s, one, HD_LOCKSET_ALL), one);
	assert_int_equal(hd_lockset_meet(s, HD_LOCKSET_ALL, HD_LOCKSET_ALL), HD_LOCKSET_ALL);
	assert_int_equal(hd_lockset_with(s, HD_LOCKSET_ALL, 8, true), HD_LOCKSET_ALL);
	assert_int_equal(hd_lockset_without(s, HD_LOCKSET_ALL, 8), HD_LOCKSET_ALL);
	assert_int_equal(hd_lockset_exclusive(s, HD_LOCKSET_ALL), HD_LOCKSET_ALL);
	assert_int_equal(hd_lockset_exclusive(s, one), HD_LOCKSET_EMPTY);
	assert_true(hd_lockset_excludes(s, HD_LOCKSET_ALL, one));
	assert_false(hd_lockset_excludes(s, HD_LOCKSET_ALL, HD_LOCKSET_EMPTY));
	assert_false(hd_lockset_excludes(s, one, one));
	hd_lockset_members(s, HD_LOCKSET_EMPTY, &n, NULL);
	assert_int_equal(n, 0);
	hd_locksets_free(s);
}

/* Members stay where they are while other sets are made. */
static void test_members_stay(void **state)
{
	struct hd_locksets *s = hd_locksets_new();
	hd_lockset first = hd_lockset_with(s, HD_LOCKSET_EMPTY, 8, true), last = first;
	const uint64_t *before, *after;
	size_t n;

	(void)state;
	before = hd_lockset_members(s, first, &n, NULL);
	for (uint64_t i = 2; i < 2000; i++)
		last = hd_lockset_with(s, last, i * 8, true);
	after = hd_lockset_members(s, first, &n, NULL);
	assert_ptr_equal(before, after);
	assert_int_equal(n, 1);
	/* More than so many are not kept; what is in the set stays, and can be given back. */
	hd_lockset_members(s, last, &n, NULL);
	assert_int_equal(n, HD_LOCKSET_MAX);
	assert_int_equal(hd_lockset_with(s, last, 1999 * 8, true), last);
	assert_int_equal(hd_lockset_without(s, last, 1999 * 8), last);
	assert_true(hd_lockset_excludes(s, last, first));
	hd_lockset_members(s, hd_lockset_without(s, last, 8), &n, NULL);
	assert_int_equal(n, HD_LOCKSET_MAX - 1);
	hd_locksets_free(s);
}

/* Of many locks held at once a history forgets some, and never admits less for that. */
static void test_long_histories(void **state)
{
	struct hd_locksets *s = hd_locksets_new();
	struct hd_acquisitions *h = hd_acquisitions_new(s);
	hd_acq all = HD_ACQ_NONE, first = hd_acq_take(h, HD_ACQ_NONE, 1, true);
	hd_acq far = hd_acq_take(h, HD_ACQ_NONE, 5000, true);
	size_t n;

	for (uint64_t i = 1; i <= 8000; i++)
		all = hd_acq_take(h, all, i, true);
	assert_false(hd_acquisitions_failed(h));
	hd_lockset_members(s, hd_acq_set(h, all), &n, NULL);
	assert_int_equal(n, HD_ACQ_HELD);
	assert_false(hd_acq_compatible(h, all, first));
	assert_true(hd_acq_compatible(h, all, far)); /* not so, but admitted */
	for (uint64_t i = 8000; i; i--)
		all = hd_acq_give(h, all, i);
	assert_int_equal(all, HD_ACQ_NONE);
	hd_acquisitions_free(h);
	hd_locksets_free(s);
}

/* Locks a, b, c; each history is a path to it. */
static void test_histories(void **state)
{
	struct hd_locksets *s = hd_locksets_new();
	struct hd_acquisitions *h = hd_acquisitions_new(s);
	enum { A = 1, B, C };
	hd_acq a = hd_acq_take(h, HD_ACQ_NONE, A, true), b = hd_acq_take(h, HD_ACQ_NONE, B, true);
	/* Holds a, has used b; holds b, has used a; the same with shared use. */
	hd_acq a_used_b = hd_acq_give(h, hd_acq_take(h, a, B, true), B);
	hd_acq b_used_a = hd_acq_give(h, hd_acq_take(h, b, A, true), A);
	hd_acq a_read_b = hd_acq_give(h, hd_acq_take(h, a, B, false), B);
	hd_acq shared_b = hd_acq_take(h, HD_ACQ_NONE, B, false);
	hd_acq shared_b_used_a = hd_acq_give(h, hd_acq_take(h, shared_b, A, true), A);

	(void)state;
	assert_int_not_equal(a, a_used_b);
	assert_int_equal(hd_acq_set(h, a), hd_acq_set(h, a_used_b));
	assert_int_equal(hd_acq_give(h, a_used_b, A), HD_ACQ_NONE);
	/* What was used before a lock was taken is no part of its history. */
	assert_int_equal(hd_acq_take(h, hd_acq_give(h, b, B), A, true), a);
	assert_int_equal(hd_acq_of_set(h, hd_acq_set(h, a_used_b)), a);
	assert_true(hd_acq_compatible(h, a, b));
	assert_false(hd_acq_compatible(h, a, a));
	assert_true(hd_acq_compatible(h, shared_b, shared_b));
	assert_false(hd_acq_compatible(h, shared_b, b));
	assert_true(hd_acq_compatible(h, a_used_b, b));
	assert_true(hd_acq_compatible(h, a, b_used_a));
	assert_false(hd_acq_compatible(h, a_used_b, b_used_a));
	assert_false(hd_acq_compatible(h, b_used_a, a_used_b));
	/* Reading b while the other only reads it too does not cross. */
	assert_true(hd_acq_compatible(h, a_read_b, shared_b_used_a));
	assert_false(hd_acq_compatible(h, a_used_b, shared_b_used_a));
	assert_false(hd_acq_compatible(h, a_read_b, b_used_a));
	assert_true(hd_acq_compatible(h, HD_ACQ_NONE, a));
	/* A third lock in between: held c, used b and then a; other holds b, has used c. */
	{
		hd_acq c = hd_acq_take(h, HD_ACQ_NONE, C, true);
		hd_acq c_used_b = hd_acq_give(h, hd_acq_take(h, c, B, true), B);
		hd_acq ca = hd_acq_take(h, c_used_b, A, true);
		hd_acq b_used_c = hd_acq_give(h, hd_acq_take(h, b, C, true), C);

		assert_false(hd_acq_compatible(h, ca, b_used_c));
		assert_true(hd_acq_compatible(h, hd_acq_give(h, ca, C), b_used_c));
	}
	hd_acquisitions_free(h);
	hd_locksets_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_bits), cmocka_unit_test(test_all),
		cmocka_unit_test(test_members_stay), cmocka_unit_test(test_long_histories),
		cmocka_unit_test(test_histories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
