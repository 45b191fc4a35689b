/*
 * Deadlock candidates: against all interleavings of small random runs, and each rule that
 * excludes a cycle with a twin that it does not exclude.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/locks/lock_graph.h"
#include "small_runs.h"

#define SEED 424242

#define FOUND_MAX 1024

struct found {
	size_t n;		     /* threads */
	uint64_t holds[8], wants[8]; /* sites */
	uint32_t threads[8];
	uint64_t merged, addr;
};

static struct found founds[FOUND_MAX];
static size_t nfounds;

static void take_found(void *arg, const struct hd_found *f)
{
	struct found *out = &founds[nfounds++];

	(void)arg;
	assert_true(nfounds <= FOUND_MAX);
	assert_int_equal(f->kind, HD_KIND_LOCK_ORDER);
	assert_true(f->naccesses % 2 == 0 && f->naccesses >= 4 && f->naccesses <= 16);
	*out = (struct found){ .n = f->naccesses / 2, .merged = f->merged, .addr = f->addr };
	for (size_t i = 0; i < out->n; i++) {
		const struct hd_found_access *h = &f->accesses[2 * i], *w = h + 1;
		const struct hd_found_access *next = &f->accesses[2 * ((i + 1) % out->n)];

		assert_string_equal(h->role, "holds");
		assert_string_equal(w->role, "wants");
		assert_int_equal(h->event.thread, w->event.thread);
		assert_int_equal(w->event.addr, next->event.addr);
		assert_true(h->index < w->index);
		assert_true(w->nlocks > 0);
		out->threads[i] = h->event.thread;
		out->holds[i] = h->event.pc;
		out->wants[i] = w->event.pc;
	}
}

static void analyse(const struct hd_event *events, size_t n)
{
	struct hd_lock_graph *g = hd_lock_graph_new(take_found, NULL);

	nfounds = 0;
	assert_non_null(g);
	assert_int_equal(hd_lock_graph_feed(g, events, n / 2, 0), HD_OK);
	assert_int_equal(hd_lock_graph_feed(g, events + n / 2, n - n / 2, n / 2), HD_OK);
	assert_int_equal(hd_lock_graph_finish(g), HD_OK);
	assert_false(hd_lock_graph_incomplete(g));
	hd_lock_graph_free(g);
}

/* --- small random runs --- */

/* Where @t took @lock, which it holds at @pos. */
static unsigned taken_at(const struct program *p, unsigned t, unsigned pos, unsigned lock)
{
	while (pos-- > 0) {
		if (p->ops[t][pos].kind == OP_TAKE && p->ops[t][pos].what == lock)
			return pos;
	}
	fail_msg("not held");
	return 0;
}

/* Does @t wait for a lock that @u holds? */
static bool waits(const struct program *p, const unsigned *pos, unsigned t, unsigned u)
{
	const struct op *o = &p->ops[t][pos[t]];

	if (pos[t] == p->n[t] || o->kind != OP_TAKE || t == u)
		return false;
	if (p->forked_by[t] >= 0 && pos[p->forked_by[t]] <= (unsigned)p->forked_at[t])
		return false;
	return blocks(p, pos, u, o->what, o->shared);
}

static bool has_cycle(const unsigned *threads, const uint64_t *holds, const uint64_t *wants,
		      unsigned n)
{
	for (size_t i = 0; i < nfounds; i++) {
		for (unsigned r = 0; r < n && founds[i].n == n; r++) {
			unsigned same = 0;

			for (unsigned k = 0; k < n; k++)
				same += founds[i].threads[(k + r) % n] == threads[k] + 1 &&
					founds[i].holds[(k + r) % n] == holds[k] &&
					founds[i].wants[(k + r) % n] == wants[k];
			if (same == n)
				return true;
		}
	}
	return false;
}

/* The cycle of waiting @threads at @pos is one of those told. */
static void expect_cycle(const struct program *p, const unsigned *pos, const unsigned *threads,
			 unsigned n, uint64_t seed)
{
	uint64_t holds_pc[THREADS_MAX], wants_pc[THREADS_MAX];

	for (unsigned i = 0; i < n; i++) {
		unsigned t = threads[i], before = threads[(i + n - 1) % n];
		unsigned lock = p->ops[before][pos[before]].what;

		holds_pc[i] = (t << 8) + taken_at(p, t, pos[t], lock) + 1;
		wants_pc[i] = (t << 8) + pos[t] + 1;
	}
	if (!has_cycle(threads, holds_pc, wants_pc, n))
		fail_msg("seed %llu: a deadlock of %u threads is not told",
			 (unsigned long long)seed, n);
}

static unsigned check_position(const struct program *p, const unsigned *pos, uint64_t seed)
{
	unsigned n = 0;

	for (unsigned a = 0; a < p->nthreads; a++)
		for (unsigned b = 0; b < p->nthreads; b++) {
			if (a < b && waits(p, pos, a, b) && waits(p, pos, b, a)) {
				expect_cycle(p, pos, (unsigned[]){ a, b }, 2, seed);
				n++;
			}
			for (unsigned c = 0; c < p->nthreads; c++) {
				/* A cycle of three in which two do not wait for each other already. */
				if (a < b && a < c && b != c && waits(p, pos, a, b) &&
				    waits(p, pos, b, c) && waits(p, pos, c, a) &&
				    p->ops[a][pos[a]].what != p->ops[b][pos[b]].what &&
				    p->ops[b][pos[b]].what != p->ops[c][pos[c]].what &&
				    p->ops[a][pos[a]].what != p->ops[c][pos[c]].what) {
					expect_cycle(p, pos, (unsigned[]){ a, b, c }, 3, seed);
					n++;
				}
			}
		}
	return n;
}

static void positions(const struct program *p, unsigned number, unsigned *pos)
{
	for (unsigned t = p->nthreads; t-- > 0; number /= OPS_MAX + 1)
		pos[t] = number % (OPS_MAX + 1);
}

/* Every cycle told of can be reached. */
static void check_told(const struct program *p, const bool *reached, uint64_t seed)
{
	for (size_t i = 0; i < nfounds; i++) {
		unsigned pos[THREADS_MAX] = { 0 };

		for (size_t k = 0; k < founds[i].n; k++)
			pos[founds[i].threads[k] - 1] = (unsigned)(founds[i].wants[k] & 0xff) - 1;
		if (!reached[position_number(pos, p->nthreads)])
			fail_msg("seed %llu: a deadlock is told that cannot be reached",
				 (unsigned long long)seed);
	}
}

static void random_runs(const struct wish *w, unsigned n, bool exact)
{
	static bool reached[POSITIONS];
	static uint64_t seed = SEED;
	static struct run run;
	unsigned deadlocks = 0, quiet = 0;

	for (unsigned i = 0; i < n;) {
		unsigned pos[THREADS_MAX] = { 0 }, here = 0;
		struct program p;
		struct hd_rng r;

		hd_rng_seed(&r, ++seed);
		random_program(&p, w, &r);
		if (!random_run(&p, &run, &r))
			continue;
		analyse(run.events, run.n);
		memset(reached, 0, sizeof(reached));
		reach(&p, pos, reached);
		for (unsigned k = 0; k < POSITIONS; k++) {
			if (reached[k]) {
				positions(&p, k, pos);
				here += check_position(&p, pos, seed);
			}
		}
		if (exact)
			check_told(&p, reached, seed);
		deadlocks += here != 0;
		quiet += !here && !nfounds;
		i++;
	}
	assert_true(deadlocks > n / 200);
	assert_true(quiet > n / 10);
}

static void test_two_threads_nested(void **state)
{
	static const struct wish plain = {
		.threads = 2, .ops = 12, .locks = 3, .locations = 1, .nested = true
	};
	static const struct wish modes = {
		.threads = 2, .ops = 12, .locks = 3, .locations = 1, .nested = true, .modes = true
	};
	static const struct wish busy = {
		.threads = 2, .ops = 12, .locks = 2, .locations = 1, .nested = true, .busy = true
	};
	static const struct wish forks = {
		.threads = 2, .ops = 12, .locks = 3, .locations = 1, .nested = true, .forks = true
	};

	(void)state;
	printf("seeds from %d\n", SEED + 1);
	random_runs(&busy, 20000, true);
	random_runs(&plain, 15000, true);
	random_runs(&modes, 15000, true);
	random_runs(&forks, 10000, true);
}

static void test_nothing_is_missed(void **state)
{
	static const struct wish crossing = {
		.threads = 2, .ops = 12, .locks = 3, .locations = 1, .modes = true
	};
	static const struct wish three = { .threads = 3, .ops = 9, .locks = 3, .locations = 1 };
	static const struct wish three_modes = {
		.threads = 3, .ops = 9, .locks = 3, .locations = 1, .modes = true
	};
	static const struct wish locked_forks = { .threads = 3,
						  .ops = 8,
						  .locks = 3,
						  .locations = 1,
						  .modes = true,
						  .forks = true,
						  .forks_under_lock = true };

	(void)state;
	random_runs(&crossing, 10000, false);
	random_runs(&three, 5000, false);
	random_runs(&three_modes, 5000, false);
	random_runs(&locked_forks, 5000, false);
}

/* --- one by one --- */

#define A 0x2000u
#define B 0x2040u
#define C 0x2080u
#define G 0x20c0u
#define TAKE(t, l, site)                                                                           \
	{                                                                                          \
		.thread = t, .op = HD_OP_ACQUIRE, .addr = l, .pc = site                            \
	}
#define MODE(t, l, site, mode)                                                                     \
	{                                                                                          \
		.thread = t, .op = HD_OP_ACQUIRE, .addr = l, .pc = site, .arg = mode               \
	}
#define GIVE(t, l)                                                                                 \
	{                                                                                          \
		.thread = t, .op = HD_OP_RELEASE, .addr = l                                        \
	}
#define EV(t, o, a, v)                                                                             \
	{                                                                                          \
		.thread = t, .op = o, .addr = a, .value = v                                        \
	}
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define EXPECT(ev, n)                                                                              \
	do {                                                                                       \
		analyse(ev, COUNT(ev));                                                            \
		assert_int_equal(nfounds, n);                                                      \
	} while (0)

/* T takes l and m, gives both back. */
#define BOTH(t, l, m, site) TAKE(t, l, site), TAKE(t, m, site + 1), GIVE(t, m), GIVE(t, l)

static void test_two_and_three(void **state)
{
	static const struct hd_event two[] = { BOTH(1, A, B, 1), BOTH(2, B, A, 3) };
	static const struct hd_event same_order[] = { BOTH(1, A, B, 1), BOTH(2, A, B, 3) };
	static const struct hd_event alone[] = { BOTH(1, A, B, 1), BOTH(1, B, A, 3) };
	static const struct hd_event three[] = { BOTH(1, A, B, 1), BOTH(2, B, C, 3),
						 BOTH(3, C, A, 5) };

	(void)state;
	EXPECT(two, 1);
	assert_int_equal(founds[0].n, 2);
	assert_int_equal(founds[0].addr, A);
	assert_int_equal(founds[0].holds[0], 1);
	assert_int_equal(founds[0].wants[0], 2);
	assert_int_equal(founds[0].holds[1], 3);
	assert_int_equal(founds[0].wants[1], 4);
	EXPECT(same_order, 0);
	EXPECT(alone, 0);
	EXPECT(three, 1);
	assert_int_equal(founds[0].n, 3);
}

static void test_gate(void **state)
{
	static const struct hd_event gate[] = {
		TAKE(1, G, 9), BOTH(1, A, B, 1), GIVE(1, G),
		TAKE(2, G, 9), BOTH(2, B, A, 3), GIVE(2, G),
	};
	static const struct hd_event one_gate[] = {
		TAKE(1, G, 9),
		BOTH(1, A, B, 1),
		GIVE(1, G),
		BOTH(2, B, A, 3),
	};
	static const struct hd_event shared_gate[] = {
		MODE(1, G, 9, HD_LOCK_SHARED), BOTH(1, A, B, 1), GIVE(1, G),
		MODE(2, G, 9, HD_LOCK_SHARED), BOTH(2, B, A, 3), GIVE(2, G),
	};
	static const struct hd_event half_shared_gate[] = {
		MODE(1, G, 9, HD_LOCK_SHARED),
		BOTH(1, A, B, 1),
		GIVE(1, G),
		TAKE(2, G, 9),
		BOTH(2, B, A, 3),
		GIVE(2, G),
	};

	(void)state;
	EXPECT(gate, 0);
	EXPECT(one_gate, 1);
	EXPECT(shared_gate, 1);
	EXPECT(half_shared_gate, 0);
}

/*
 * Each takes its second lock twice. Both at their second time cannot be: each has used the
 * other's lock since it took its own.
 */
static void test_acquisition_history(void **state)
{
	static const struct hd_event ev[] = {
		TAKE(1, A, 1), TAKE(1, B, 2), GIVE(1, B), TAKE(1, B, 3), GIVE(1, B), GIVE(1, A),
		TAKE(2, B, 4), TAKE(2, A, 5), GIVE(2, A), TAKE(2, A, 6), GIVE(2, A), GIVE(2, B),
	};

	(void)state;
	EXPECT(ev, 3);
	for (size_t i = 0; i < 3; i++)
		assert_false(founds[i].wants[0] == 3 && founds[i].wants[1] == 6);
}

static void test_fork_and_join(void **state)
{
	static const struct hd_event before[] = { BOTH(1, A, B, 1), EV(1, HD_OP_FORK, 0, 2),
						  BOTH(2, B, A, 3) };
	static const struct hd_event after[] = { EV(1, HD_OP_FORK, 0, 2), BOTH(2, B, A, 3),
						 EV(1, HD_OP_JOIN, 0, 2), BOTH(1, A, B, 1) };
	static const struct hd_event between[] = { EV(1, HD_OP_FORK, 0, 2), BOTH(1, A, B, 1),
						   BOTH(2, B, A, 3), EV(1, HD_OP_JOIN, 0, 2) };
	static const struct hd_event one_after_other[] = {
		EV(1, HD_OP_FORK, 0, 2), BOTH(2, A, B, 1), EV(1, HD_OP_JOIN, 0, 2),
		EV(1, HD_OP_FORK, 0, 3), BOTH(3, B, A, 3), EV(1, HD_OP_JOIN, 0, 3),
	};

	(void)state;
	EXPECT(before, 0);
	EXPECT(after, 0);
	EXPECT(between, 1);
	EXPECT(one_after_other, 0);
}

#define SHARED_BOTH(t, l, lmode, m, mmode, site)                                                   \
	MODE(t, l, site, lmode), MODE(t, m, site + 1, mmode), GIVE(t, m), GIVE(t, l)

static void test_readers(void **state)
{
	enum { S = HD_LOCK_SHARED, X = HD_LOCK_EXCLUSIVE };
	static const struct hd_event all[] = { SHARED_BOTH(1, A, S, B, S, 1),
					       SHARED_BOTH(2, B, S, A, S, 3) };
	/* A reader of each wants the other for writing. */
	static const struct hd_event writers[] = { SHARED_BOTH(1, A, S, B, X, 1),
						   SHARED_BOTH(2, B, S, A, X, 3) };
	/* T1 would wait for T2's writing of B, but T2 only reads A beside T1. */
	static const struct hd_event half[] = { SHARED_BOTH(1, A, S, B, S, 1),
						SHARED_BOTH(2, B, X, A, S, 3) };

	(void)state;
	EXPECT(all, 0);
	EXPECT(writers, 1);
	EXPECT(half, 0);
}

static void test_try_and_timed(void **state)
{
	/* A thread that only tries for its second lock does not wait. */
	static const struct hd_event tries[] = {
		BOTH(1, A, B, 1), TAKE(2, B, 3), MODE(2, A, 4, HD_LOCK_TRY), GIVE(2, A), GIVE(2, B),
	};
	static const struct hd_event timed[] = {
		BOTH(1, A, B, 1), TAKE(2, B, 3), MODE(2, A, 4, HD_LOCK_TIMED),
		GIVE(2, A),	  GIVE(2, B),
	};
	/* What it got by trying it holds. */
	static const struct hd_event holds_tried[] = {
		BOTH(1, A, B, 1), MODE(2, B, 3, HD_LOCK_TRY), TAKE(2, A, 4), GIVE(2, A), GIVE(2, B),
	};

	(void)state;
	EXPECT(tries, 0);
	EXPECT(timed, 0);
	EXPECT(holds_tried, 1);
}

/* T1 takes A again under B, which it got under A: no wish for A. */
static void test_recursive(void **state)
{
	static const struct hd_event ev[] = {
		TAKE(1, A, 1),	  TAKE(1, B, 2), MODE(1, A, 3, HD_LOCK_AGAIN),
		GIVE(1, A),	  GIVE(1, B),	 GIVE(1, A),
		BOTH(2, A, B, 4),
	};

	(void)state;
	EXPECT(ev, 0);
}

static void test_reuse(void **state)
{
	static const struct hd_event destroyed[] = {
		BOTH(1, A, B, 1),
		EV(1, HD_OP_LOCK_DESTROY, B, 0),
		BOTH(2, B, A, 3),
	};
	static const struct hd_event initialised[] = {
		BOTH(1, A, B, 1),
		EV(1, HD_OP_LOCK_INIT, B, 0),
		BOTH(2, B, A, 3),
	};
	static const struct hd_event freed[] = {
		BOTH(1, A, B, 1),
		EV(1, HD_OP_FREE, B - 8, 64),
		BOTH(2, B, A, 3),
	};
	static const struct hd_event freed_beside[] = {
		BOTH(1, A, B, 1),
		EV(1, HD_OP_FREE, B + 8, 64),
		BOTH(2, B, A, 3),
	};

	(void)state;
	EXPECT(destroyed, 0);
	EXPECT(initialised, 0);
	EXPECT(freed, 0);
	EXPECT(freed_beside, 1);
}

/* The same code on many pairs of locks, by many threads: one finding. */
static void test_merging(void **state)
{
	static struct hd_event ev[2 * 4 * 10];
	size_t n = 0;

	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		uint64_t a = 0x5000 + 128 * i, b = a + 64;
		const struct hd_event round[] = { BOTH(1, a, b, 1), BOTH(2, b, a, 3) };

		memcpy(ev + n, round, sizeof(round));
		n += COUNT(round);
	}
	analyse(ev, n);
	assert_int_equal(nfounds, 1);
	assert_int_equal(founds[0].merged, 9);
	/* Told of the first. */
	assert_int_equal(founds[0].addr, 0x5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_and_three),
		cmocka_unit_test(test_gate),
		cmocka_unit_test(test_acquisition_history),
		cmocka_unit_test(test_fork_and_join),
		cmocka_unit_test(test_readers),
		cmocka_unit_test(test_try_and_timed),
		cmocka_unit_test(test_recursive),
		cmocka_unit_test(test_reuse),
		cmocka_unit_test(test_merging),
		cmocka_unit_test(test_two_threads_nested),
		cmocka_unit_test(test_nothing_is_missed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
