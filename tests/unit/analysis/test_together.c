/*
 * Variables that are used together, and how they can be torn apart: each case by hand, as the definition in
 * together.h has it, beside one that differs in the thing that matters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/blocks/together.h"

enum { X = 0x3000, Y = 0x3040, Z = 0x3080, L = 0x1000, M = 0x1040 };

struct told {
	size_t n;
	struct hd_found_access first[4]; /* of the first one */
	char pattern[8];
};

static void take(void *arg, const struct hd_found *f)
{
	struct told *t = arg;

	assert_int_equal(f->naccesses, 4);
	assert_true(f->together > 0 && f->together <= 100);
	for (size_t i = 0; !t->n && i < 4; i++) {
		t->first[i] = f->accesses[i];
		t->pattern[i] = f->pattern[i];
	}
	t->n++;
}

static struct told analyse(const struct hd_event *events, size_t n)
{
	struct told told = { 0 };
	struct hd_together *t = hd_together_new(take, &told);

	assert_int_equal(hd_together_learn(t, events, n), HD_OK);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(hd_together_feed(t, &events[i], 1, i), HD_OK);
	assert_int_equal(hd_together_finish(t), HD_OK);
	hd_together_free(t);
	return told;
}

#define EV(t, o, a, v)                                                                             \
	{                                                                                          \
		.thread = t, .op = HD_OP_##o, .addr = a, .value = v, .size = 4,                    \
		.pc = __COUNTER__ + 1                                                              \
	}
#define LOCK(t, l)   EV(t, ACQUIRE, l, 0)
#define UNLOCK(t, l) EV(t, RELEASE, l, 0)
#define ANALYSE(e)   analyse(e, sizeof(e) / sizeof((e)[0]))

/* Both threads: x under its lock, then y under its own. */
static void two_locks(void **state)
{
	struct hd_event e[] = {
		LOCK(1, L),	    EV(1, WRITE, X, 1), UNLOCK(1, L),	   LOCK(1, M),
		EV(1, WRITE, Y, 1), UNLOCK(1, M),	LOCK(2, L),	   EV(2, READ, X, 1),
		UNLOCK(2, L),	    LOCK(2, M),		EV(2, READ, Y, 1), UNLOCK(2, M),
	};
	struct told t = ANALYSE(e);

	/* Either thread's unit may come between the accesses of the other one. */
	assert_int_equal(t.n, 2);
	assert_string_equal(t.pattern, "WRRW");
	assert_int_equal(t.first[0].index, 1);
	assert_int_equal(t.first[1].index, 7);
	assert_int_equal(t.first[2].index, 10);
	assert_int_equal(t.first[3].index, 4);
	assert_int_equal(t.first[0].nlocks, 1);
	/* Two who only read tear nothing; nor do two of which one uses another variable. */
	e[1].op = e[4].op = HD_OP_READ;
	assert_int_equal(ANALYSE(e).n, 0);
	e[1].op = e[4].op = HD_OP_WRITE;
	e[10].addr = Z;
	assert_int_equal(ANALYSE(e).n, 0);
}

/* One lock is held over both accesses of a thread. */
static void one_lock(void **state)
{
	struct hd_event e[] = {
		LOCK(1, L), EV(1, WRITE, X, 1), EV(1, WRITE, Y, 1), UNLOCK(1, L),
		LOCK(2, L), EV(2, READ, X, 1),	EV(2, READ, Y, 1),  UNLOCK(2, L),
	};
	struct hd_event given[] = {
		LOCK(1, L),	    EV(1, WRITE, X, 1), UNLOCK(1, L), LOCK(1, L),
		EV(1, WRITE, Y, 1), UNLOCK(1, L),	LOCK(2, L),   EV(2, READ, X, 1),
		EV(2, READ, Y, 1),  UNLOCK(2, L),
	};
	struct told t;

	assert_int_equal(ANALYSE(e).n, 0);
	/* The second one does not take it. */
	e[4].addr = e[7].addr = M;
	assert_int_equal(ANALYSE(e).n, 2);
	/* All take it shared: that keeps nobody out. */
	e[4].addr = e[7].addr = L;
	e[0].arg = e[3].arg = e[4].arg = e[7].arg = HD_LOCK_RWLOCK | HD_LOCK_SHARED;
	assert_int_equal(ANALYSE(e).n, 2);
	/* It is given back in between by one of them: only that one can be torn. */
	t = ANALYSE(given);
	assert_int_equal(t.n, 1);
	assert_int_equal(t.first[0].event.thread, 1);
}

/* What comes before the fork or after the join is not torn. */
static void forks_and_joins(void **state)
{
	struct hd_event e[] = {
		EV(1, WRITE, X, 1), EV(1, WRITE, Y, 1), EV(1, FORK, 0, 2),
		EV(2, READ, X, 1),  EV(2, READ, Y, 1),	EV(1, JOIN, 0, 2),
	};
	struct hd_event fork = e[2];

	assert_int_equal(ANALYSE(e).n, 0);
	e[2] = e[1];
	e[1] = e[0];
	e[0] = fork;
	assert_int_equal(ANALYSE(e).n, 2);
}

/* Accesses that are far from each other are no unit. */
static void far_apart(void **state)
{
	struct hd_event e[64] = { EV(1, WRITE, X, 1) };
	size_t n = 1;

	for (; n < 21; n++)
		e[n] = (struct hd_event)EV(1, WRITE, Z, n);
	e[n++] = (struct hd_event)EV(1, WRITE, Y, 1);
	e[n++] = (struct hd_event)EV(3, WRITE, Z, 1);
	for (int i = 0; i < 20; i++)
		e[n++] = (struct hd_event)EV(2, WRITE, i % 2 ? X : Y, i);
	/* The second thread uses x and y together, the first one does not. */
	assert_int_equal(analyse(e, n).n, 0);
	e[1] = (struct hd_event)EV(1, WRITE, Y, 1);
	assert_true(analyse(e, n).n > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_locks),
		cmocka_unit_test(one_lock),
		cmocka_unit_test(forks_and_joins),
		cmocka_unit_test(far_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
