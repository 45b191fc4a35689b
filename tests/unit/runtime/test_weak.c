/*
 * The memory models against oracles: the executions that are built are those that the axioms of RC11 allow, or
 * a machine with store buffers comes to, no fewer and no more; on named tests, whose outcomes are reasoned,
 * and on random ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/rng.h"
#include "runtime/weak/weak_model.h"
#include "weak/litmus.h"

/* A set of executions is given by its texts: both sorted. */
static void assert_same(const char *words, struct litmus_set *axioms, struct litmus_set *model)
{
	litmus_sort(axioms);
	litmus_sort(model);
	for (size_t i = 0; i < axioms->n || i < model->n; i++) {
		const char *a = i < axioms->n ? axioms->texts[i] : NULL;
		const char *b = i < model->n ? model->texts[i] : NULL;

		if (!a || !b || strcmp(a, b))
			fail_msg("'%s': axioms %s, model %s", words, a ? a : "(no more)",
				 b ? b : "(no more)");
	}
}

/* As in litmus.h, with * for anything; may be shorter. */
static bool is_outcome(const char *execution, const char *pattern)
{
	const char *at = strchr(execution, '=') + 1;

	for (; *pattern; pattern++, at++) {
		if (*pattern != *at && *pattern != '*')
			return false;
	}
	return true;
}

struct expected {
	bool allowed;
	unsigned executions;
};

static const struct named {
	const char *name, *words, *outcome;
	struct expected c11, tso;
} litmus_tests[] = {
#define LITMUS(name, words, outcome, allowed, executions, tso_allowed, tso_executions)             \
	{ name, words, outcome, { allowed, executions }, { tso_allowed, tso_executions } },
#include "weak/litmus.def"
};

/* The oracle says what is expected, and the model the same. */
static void check(const struct named *n, const char *words, bool tso)
{
	const struct expected *e = n ? (tso ? &n->tso : &n->c11) : NULL;
	struct litmus_set oracle = { 0 }, model = { 0 };
	struct litmus t;
	bool seen = false;

	litmus_parse(&t, words);
	if (tso)
		litmus_by_buffers(&t, &oracle);
	else
		litmus_by_axioms(&t, &oracle);
	litmus_by_model(&t, tso, &model);
	for (size_t k = 0; n && k < oracle.n; k++)
		seen |= is_outcome(oracle.texts[k], n->outcome);
	if (e && seen != e->allowed)
		fail_msg("%s: %s is %s", n->name, n->outcome, seen ? "seen" : "not seen");
	if (e && oracle.n != e->executions)
		fail_msg("%s: %zu executions, not %u", n->name, oracle.n, e->executions);
	assert_same(words, &oracle, &model);
	litmus_free(&oracle);
	litmus_free(&model);
}

static void test_named(void **state)
{
	assert_true(sizeof(litmus_tests) / sizeof(*litmus_tests) >= 60);
	for (size_t i = 0; i < sizeof(litmus_tests) / sizeof(*litmus_tests); i++) {
		check(&litmus_tests[i], litmus_tests[i].words, false);
		check(&litmus_tests[i], litmus_tests[i].words, true);
	}
}

/* ---- random ones --------------------------------------------------------- */

static char one_of(struct hd_rng *rng, const char *letters)
{
	return letters[hd_rng_below(rng, strlen(letters))];
}

static int put_op(struct hd_rng *rng, char *to, size_t room, bool strong)
{
	char loc = one_of(rng, "xxxyyyz");
	const char *loads = strong ? "rasss" : "rraas", *stores = strong ? "rlsss" : "rrlls";
	int value = 1 + (int)hd_rng_below(rng, 3);

	switch (hd_rng_below(rng, 13)) {
	case 0 ... 3:
		return snprintf(to, room, "R%c%c ", loc, one_of(rng, loads));
	case 4 ... 7:
		return snprintf(to, room, "W%c%d%c ", loc, value, one_of(rng, stores));
	case 8:
		return snprintf(to, room, "%c%c1%c ", one_of(rng, "AX"), loc, one_of(rng, "ralbs"));
	case 9:
		return snprintf(to, room, "%c%c%c%d%c%c ", one_of(rng, "CK"), loc,
				one_of(rng, "01"), value, one_of(rng, "ralbs"), one_of(rng, "ras"));
	case 12:
		return snprintf(to, room, "! ");
	default:
		return snprintf(to, room, "F%c ", one_of(rng, "albss"));
	}
}

static void make_random(struct hd_rng *rng, char *to, size_t room)
{
	int threads = 2 + (int)hd_rng_below(rng, 3), left = 6 + (int)hd_rng_below(rng, 4);
	bool strong = hd_rng_below(rng, 2);
	size_t at = 0;

	for (int k = 0; k < threads; k++) {
		int n = 1 + (int)hd_rng_below(rng, 4);

		if (k)
			at += (size_t)snprintf(to + at, room - at, "| ");
		for (; n && left; n--, left--)
			at += (size_t)put_op(rng, to + at, room - at, strong);
	}
}

static void test_random(void **state)
{
	struct hd_rng rng;
	unsigned n = getenv("HEDDLE_TEST_FULL") ? 20000 : 800;

	hd_rng_seed(&rng, 19);
	for (unsigned i = 0; i < n; i++) {
		char words[400];

		make_random(&rng, words, sizeof(words));
		check(NULL, words, false);
		check(NULL, words, true);
	}
}

/* ---- what litmus tests do not have ------------------------------------------ */

#define ROOM 8
static struct hd_weak m;
static struct hd_weak_event events[ROOM];
static struct hd_weak_location locs[ROOM];
static int16_t scratch[3 * ROOM];

static int set_up(void **state)
{
	hd_weak_init(&m, events, locs, scratch, ROOM);
	return 0;
}

static const struct hd_weak_want relaxed = { .kind = HD_WEAK_READ, .order = __ATOMIC_RELAXED };

/* How many writes of the four bytes at 0x1000 may @thread read? */
static unsigned choices(uint32_t thread, uint64_t memory)
{
	struct hd_weak_choice c[ROOM];
	unsigned slot = hd_weak_begin(&m, thread);

	return hd_weak_readable(&m, slot, hd_weak_location(&m, 0x1000, 4, memory), &relaxed, c,
				ROOM);
}

static void store(uint32_t thread, uint64_t memory, uint64_t value)
{
	unsigned slot = hd_weak_begin(&m, thread);
	int loc = hd_weak_location(&m, 0x1000, 4, memory);

	hd_weak_write(&m, slot, loc, __ATOMIC_RELAXED, hd_weak_newest(&m, loc), value, NULL);
}

static void test_locks(void **state)
{
	store(1, 0, 7);
	assert_int_equal(choices(2, 7), 2);
	hd_weak_give(&m, hd_weak_begin(&m, 1), 0x9000);
	assert_int_equal(choices(2, 7), 2);
	hd_weak_take(&m, hd_weak_begin(&m, 2), 0x9008); /* another one */
	assert_int_equal(choices(2, 7), 2);
	hd_weak_take(&m, hd_weak_begin(&m, 2), 0x9000);
	assert_int_equal(choices(2, 7), 1);
	assert_int_equal(choices(3, 7), 2);
}

/* Somebody else has written, or given the memory to somebody: what was there is gone. */
static void test_renewed(void **state)
{
	store(1, 0, 7);
	assert_int_equal(choices(2, 7), 2);
	assert_int_equal(choices(2, 9), 1);
	store(1, 9, 5);
	assert_int_equal(choices(2, 5), 2);
	hd_weak_forget(&m, 0xff0, 0x10);
	assert_int_equal(choices(2, 5), 2);
	hd_weak_forget(&m, 0xff0, 0x11);
	assert_int_equal(choices(2, 5), 1);
}

static void test_overlap(void **state)
{
	store(1, 0, 7);
	assert_int_equal(hd_weak_location(&m, 0x1002, 2, 0), HD_WEAK_NONE);
	assert_int_equal(hd_weak_location(&m, 0x1000, 8, 0), HD_WEAK_NONE);
	assert_true(hd_weak_location(&m, 0x1004, 4, 0) >= 0);
}

/* When it is full, everybody sees the last value, and nothing else. */
static void test_settles(void **state)
{
	for (uint64_t i = 0; i < ROOM; i++)
		store(1, i, i + 1);
	assert_int_equal(m.settled, 0);
	assert_int_equal(choices(2, ROOM), 1);
	assert_int_equal(m.settled, 1);
	for (uint32_t thread = 1; thread <= HD_WEAK_THREADS; thread++)
		assert_int_equal(choices(thread, ROOM), 1);
	assert_int_equal(m.settled, 1);
	hd_weak_begin(&m, HD_WEAK_THREADS + 1);
	assert_int_equal(m.settled, 2);
	store(1, ROOM,
	      99); /* who wrote the value before is not known, so nobody reads it as an older one */
	assert_int_equal(choices(2, 99), 1);
}

/* A loop that reads the same again and again does not use up the room. */
static void test_repeats(void **state)
{
	uint64_t before;

	store(1, 0, 7);
	for (int order = __ATOMIC_RELAXED; order <= __ATOMIC_SEQ_CST; order += 5) {
		for (int i = 0; i < 100; i++) {
			unsigned slot = hd_weak_begin(&m, 2);
			int loc = hd_weak_location(&m, 0x1000, 4, 7);

			hd_weak_apart(&m, slot);
			hd_weak_read(&m, slot, loc, order, hd_weak_newest(&m, loc));
		}
	}
	assert_int_equal(m.settled, 0);
	before = hd_weak_digest(&m);
	hd_weak_read(&m, hd_weak_begin(&m, 2), 0, __ATOMIC_SEQ_CST, hd_weak_newest(&m, 0));
	assert_int_not_equal(hd_weak_digest(&m), before); /* but it is another execution */
}

/* Two stores of two threads, the other one first: the same graph. */
static void test_digest(void **state)
{
	uint64_t first;

	store(1, 0, 7);
	store(2, 7, 8);
	first = hd_weak_digest(&m);
	set_up(NULL);
	store(2, 0, 8);
	hd_weak_write(&m, hd_weak_begin(&m, 1), hd_weak_location(&m, 0x1000, 4, 8),
		      __ATOMIC_RELAXED, HD_WEAK_BASE, 7, NULL);
	assert_int_equal(hd_weak_digest(&m), first);
	set_up(NULL);
	store(2, 0, 8);
	store(1, 8, 7);
	assert_int_not_equal(hd_weak_digest(&m), first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_named),
		cmocka_unit_test(test_random),
		cmocka_unit_test_setup(test_locks, set_up),
		cmocka_unit_test_setup(test_renewed, set_up),
		cmocka_unit_test_setup(test_overlap, set_up),
		cmocka_unit_test_setup(test_settles, set_up),
		cmocka_unit_test_setup(test_repeats, set_up),
		cmocka_unit_test_setup(test_digest, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
