/*
 * Three-access patterns: against all interleavings of small random runs, each kind with a twin
 * that locks or forks exclude, and what is merged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/blocks/patterns.h"
#include "small_runs.h"

#define SEED 20240611

#define FOUND_MAX 4096

struct found {
	char kind[4];
	uint64_t pc1, pcf, pc2, index1, indexf, index2, merged, addr;
	uint32_t size;
	int group;
	bool declared;
	size_t locksf;
};

static struct found founds[FOUND_MAX];
static size_t nfounds;

static void take_found(void *arg, const struct hd_found *f)
{
	(void)arg;
	assert_int_equal(f->kind, HD_KIND_PATTERN);
	assert_int_equal(f->naccesses, 3);
	assert_string_equal(f->accesses[0].role, "e1");
	assert_string_equal(f->accesses[1].role, "f");
	assert_string_equal(f->accesses[2].role, "e2");
	assert_true(nfounds < FOUND_MAX);
	founds[nfounds] = (struct found){
		.pc1 = f->accesses[0].event.pc,
		.pcf = f->accesses[1].event.pc,
		.pc2 = f->accesses[2].event.pc,
		.index1 = f->accesses[0].index,
		.indexf = f->accesses[1].index,
		.index2 = f->accesses[2].index,
		.merged = f->merged,
		.addr = f->addr,
		.size = f->size,
		.group = f->group,
		.declared = f->why != NULL,
		.locksf = f->accesses[1].nlocks,
	};
	memcpy(founds[nfounds++].kind, f->pattern, 4);
}

static void analyse(const struct hd_event *events, size_t n, const struct hd_patterns_options *o,
		    bool learn)
{
	struct hd_patterns *p = hd_patterns_new(o, take_found, NULL);

	nfounds = 0;
	assert_non_null(p);
	if (learn)
		assert_int_equal(hd_patterns_learn(p, events, n), HD_OK);
	/* In two batches, so that indices have to be right. */
	assert_int_equal(hd_patterns_feed(p, events, n / 2, 0), HD_OK);
	assert_int_equal(hd_patterns_feed(p, events + n / 2, n - n / 2, n / 2), HD_OK);
	assert_int_equal(hd_patterns_finish(p), HD_OK);
	hd_patterns_free(p);
}

/* --- small random runs --- */

static bool is_access(const struct op *o)
{
	return o->kind == OP_READ || o->kind == OP_WRITE;
}

static bool makes_pattern(const struct op *e1, const struct op *f, const struct op *e2)
{
	if (!is_access(e1) || !is_access(f) || !is_access(e2) || e1->what != f->what ||
	    e2->what != f->what)
		return false;
	return f->kind == OP_WRITE || (e1->kind == OP_WRITE && e2->kind == OP_WRITE);
}

/* Is there an order in which @f of @tf comes after @e1 and before @e2 of @te? */
static bool possible(const struct program *p, const bool *reached, unsigned te, unsigned e1,
		     unsigned e2, unsigned tf, unsigned f)
{
	unsigned pos[THREADS_MAX] = { 0 }, third = 3 - te - tf;
	unsigned limit = p->nthreads > 2 ? p->n[third] : 0;

	for (unsigned at = e1 + 1; at <= e2; at++) {
		for (unsigned k = 0; k <= limit; k++) {
			pos[te] = at;
			pos[tf] = f;
			if (p->nthreads > 2)
				pos[third] = k;
			if (reached[position_number(pos, p->nthreads)] && can_run(p, pos, tf))
				return true;
		}
	}
	return false;
}

static uint64_t pc_of(unsigned t, unsigned pos)
{
	return (t << 8) + pos + 1;
}

static size_t reported(uint64_t pc1, uint64_t pcf, uint64_t pc2)
{
	size_t n = 0;

	for (size_t i = 0; i < nfounds; i++)
		n += founds[i].pc1 == pc1 && founds[i].pcf == pcf && founds[i].pc2 == pc2;
	return n;
}

struct tally {
	uint64_t triples, possible, reported, stuck;
};

/* From @pos, can @t get to its event number @goal? */
static bool gets_to(const struct program *p, unsigned *pos, unsigned t, unsigned goal, bool *seen)
{
	unsigned at = position_number(pos, p->nthreads);

	if (pos[t] == goal)
		return true;
	if (seen[at])
		return false;
	seen[at] = true;
	for (unsigned u = 0; u < p->nthreads; u++) {
		bool there;

		if (!can_run(p, pos, u))
			continue;
		pos[u]++;
		there = gets_to(p, pos, t, goal, seen);
		pos[u]--;
		if (there)
			return true;
	}
	return false;
}

/* Of two threads: is there an order with @e1, @f, @e2, all three? */
static bool goes_on(const struct program *p, unsigned te, unsigned e1, unsigned e2, unsigned tf,
		    unsigned f, const bool *reached)
{
	static bool seen[POSITIONS];

	if (p->nthreads > 2)
		return true; /* not looked at */
	memset(seen, 0, (OPS_MAX + 1) * (OPS_MAX + 1) * sizeof(*seen));
	for (unsigned at = e1 + 1; at <= e2; at++) {
		unsigned pos[THREADS_MAX] = { 0 };

		pos[te] = at;
		pos[tf] = f;
		if (!reached[position_number(pos, 2)] || !can_run(p, pos, tf))
			continue;
		pos[tf]++;
		if (gets_to(p, pos, te, e2 + 1, seen))
			return true;
	}
	return false;
}

/* Can the threads get to where none can run and not all are done? */
static bool can_deadlock(const struct program *p, const bool *reached)
{
	for (unsigned i = 0; i < POSITIONS; i++) {
		unsigned pos[THREADS_MAX], number = i, able = 0, left = 0;

		if (!reached[i])
			continue;
		for (unsigned t = p->nthreads; t-- > 0; number /= OPS_MAX + 1)
			pos[t] = number % (OPS_MAX + 1);
		for (unsigned t = 0; t < p->nthreads; t++) {
			able += can_run(p, pos, t);
			left += pos[t] < p->n[t];
		}
		if (!able && left)
			return true;
	}
	return false;
}

/* A neighbour of @e1 for code without blocks: no access between, or no write between writes. */
static bool neighbours(const struct program *p, unsigned t, unsigned e1, unsigned e2)
{
	const struct op *o = p->ops[t];
	bool access = false, write = false;

	for (unsigned i = e1 + 1; i < e2; i++) {
		access |= is_access(&o[i]) && o[i].what == o[e1].what;
		write |= o[i].kind == OP_WRITE && o[i].what == o[e1].what;
	}
	return !access || (o[e1].kind == OP_WRITE && o[e2].kind == OP_WRITE && !write);
}

/*
 * Compare what was reported of @p with what its interleavings allow: e1, then f, with e2 still to
 * come. Where e2 cannot follow, that is because the threads can block each other for good.
 */
static void compare(const struct program *p, bool exact, bool whole_blocks, uint64_t seed,
		    struct tally *tally)
{
	static bool reached[POSITIONS];
	unsigned pos[THREADS_MAX] = { 0 };
	uint64_t stuck = tally->stuck;

	memset(reached, 0, sizeof(reached));
	reach(p, pos, reached);
	for (unsigned te = 0; te < p->nthreads; te++)
		for (unsigned e1 = 0; e1 < p->n[te]; e1++)
			for (unsigned e2 = e1 + 1; e2 < p->n[te]; e2++)
				for (unsigned tf = 0; tf < p->nthreads; tf++)
					for (unsigned f = 0; f < p->n[tf]; f++) {
						bool can;
						size_t told;

						if (tf == te ||
						    !makes_pattern(&p->ops[te][e1], &p->ops[tf][f],
								   &p->ops[te][e2]))
							continue;
						can = possible(p, reached, te, e1, e2, tf, f);
						told = reported(pc_of(te, e1), pc_of(tf, f),
								pc_of(te, e2));
						if (!whole_blocks && !neighbours(p, te, e1, e2)) {
							if (told)
								fail_msg(
									"seed %llu: no neighbours, but told",
									(unsigned long long)seed);
							continue;
						}
						tally->triples++;
						tally->possible += can;
						tally->reported += told;
						tally->stuck += can && !goes_on(p, te, e1, e2, tf,
										f, reached);
						if (told > 1 || (can && !told) ||
						    (exact && told && !can))
							fail_msg(
								"seed %llu: T%u.%u T%u.%u T%u.%u possible %d, told %zu times",
								(unsigned long long)seed, te + 1,
								e1, tf + 1, f, te + 1, e2, can,
								told);
					}
	if (tally->stuck > stuck && !can_deadlock(p, reached))
		fail_msg("seed %llu: e2 cannot follow, without a deadlock",
			 (unsigned long long)seed);
}

/* Put each thread into one declared block. */
static void in_blocks(struct run *run, unsigned nthreads)
{
	memmove(run->events + nthreads, run->events, run->n * sizeof(*run->events));
	run->n += nthreads;
	for (unsigned t = 0; t < nthreads; t++)
		run->events[t] = (struct hd_event){ .thread = t + 1, .op = HD_OP_BEGIN };
}

static void random_runs(const struct wish *w, unsigned n, bool exact, struct tally *tally)
{
#ifdef __SANITIZE_ADDRESS__ /* slow, and looks for other things */
	n /= 5;
#else
	if (!getenv("HEDDLE_TEST_FULL"))
		n /= 2;
#endif
	for (unsigned i = 0; i < n;) {
		static uint64_t seed = SEED;
		struct program p;
		struct hd_rng r;
		static struct run run;
		bool blocks_declared;

		hd_rng_seed(&r, ++seed);
		random_program(&p, w, &r);
		if (!random_run(&p, &run, &r))
			continue;
		blocks_declared = hd_rng_below(&r, 2);
		if (blocks_declared)
			in_blocks(&run, p.nthreads);
		analyse(run.events, run.n, NULL, hd_rng_below(&r, 2));
		compare(&p, exact, blocks_declared, seed, tally);
		i++;
	}
	/* A test of nothing would pass too. */
	assert_true(tally->triples > n / 2);
	assert_true(tally->possible > n / 8);
	assert_true(tally->reported < tally->triples);
}

static void test_two_threads_nested(void **state)
{
	static const struct wish plain = {
		.threads = 2, .ops = 8, .locks = 3, .locations = 1, .nested = true
	};
	static const struct wish modes = {
		.threads = 2, .ops = 8, .locks = 2, .locations = 1, .nested = true, .modes = true
	};
	static const struct wish deep = {
		.threads = 2, .ops = 12, .locks = 3, .locations = 1, .nested = true, .modes = true
	};
	static const struct wish forks = { .threads = 2,
					   .ops = 8,
					   .locks = 2,
					   .locations = 1,
					   .nested = true,
					   .modes = true,
					   .forks = true };
	struct tally tally = { 0 };

	(void)state;
	printf("seeds from %d\n", SEED + 1);
	random_runs(&plain, 40000, true, &tally);
	random_runs(&modes, 40000, true, &tally);
	random_runs(&deep, 20000, true, &tally);
	random_runs(&forks, 20000, true, &tally);
	/* Seldom, but there are such runs. */
	assert_true(tally.stuck > 0 && tally.stuck < tally.possible / 20);
}

/* Where the rule is only necessary it must still miss nothing. */
static void test_nothing_is_missed(void **state)
{
	static const struct wish crossing = {
		.threads = 2, .ops = 10, .locks = 3, .locations = 1, .modes = true
	};
	static const struct wish three = {
		.threads = 3, .ops = 6, .locks = 2, .locations = 1, .modes = true
	};
	static const struct wish locked_forks = { .threads = 2,
						  .ops = 8,
						  .locks = 2,
						  .locations = 2,
						  .modes = true,
						  .forks = true,
						  .forks_under_lock = true };
	static const struct wish three_forks = { .threads = 3,
						 .ops = 6,
						 .locks = 2,
						 .locations = 1,
						 .forks = true,
						 .forks_under_lock = true };
	struct tally tally = { 0 };

	(void)state;
	random_runs(&crossing, 20000, false, &tally);
	random_runs(&three, 10000, false, &tally);
	random_runs(&locked_forks, 20000, false, &tally);
	random_runs(&three_forks, 10000, false, &tally);
	/* And it should not say much more than is possible. */
	assert_true(tally.reported < tally.possible + tally.possible / 10);
}

/* --- one by one --- */

#define X 0x1000u
#define Y 0x1008u
#define M 0x2000u
#define N 0x2040u
#define ACCESS(t, o, a, site)                                                                      \
	{                                                                                          \
		.thread = t, .op = o, .addr = a, .size = 4, .pc = site                             \
	}
#define R(t, a, site) ACCESS(t, HD_OP_READ, a, site)
#define W(t, a, site) ACCESS(t, HD_OP_WRITE, a, site)
#define TAKE(t, l)                                                                                 \
	{                                                                                          \
		.thread = t, .op = HD_OP_ACQUIRE, .addr = l, .pc = 90                              \
	}
#define GIVE(t, l)                                                                                 \
	{                                                                                          \
		.thread = t, .op = HD_OP_RELEASE, .addr = l, .pc = 91                              \
	}
#define RTAKE(t, l)                                                                                \
	{                                                                                          \
		.thread = t, .op = HD_OP_ACQUIRE, .addr = l, .arg = HD_LOCK_SHARED                 \
	}
#define RGIVE(t, l)                                                                                \
	{                                                                                          \
		.thread = t, .op = HD_OP_RELEASE, .addr = l, .arg = HD_LOCK_SHARED                 \
	}
#define EV(t, o, a, v)                                                                             \
	{                                                                                          \
		.thread = t, .op = o, .addr = a, .value = v                                        \
	}
#define COUNT(a)       (sizeof(a) / sizeof((a)[0]))
#define ANALYSE(ev, o) analyse(ev, COUNT(ev), o, false)

static void test_kinds_and_twins(void **state)
{
	static const struct {
		const char *kind;
		uint8_t op1, opf, op2;
	} kinds[] = {
		{ "RWR", HD_OP_READ, HD_OP_WRITE, HD_OP_READ },
		{ "RWW", HD_OP_READ, HD_OP_WRITE, HD_OP_WRITE },
		{ "WWR", HD_OP_WRITE, HD_OP_WRITE, HD_OP_READ },
		{ "WWW", HD_OP_WRITE, HD_OP_WRITE, HD_OP_WRITE },
		{ "WRW", HD_OP_WRITE, HD_OP_READ, HD_OP_WRITE },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		/* Each access under the lock, but the lock is given back in between. */
		const struct hd_event torn[] = {
			TAKE(1, M), ACCESS(1, kinds[i].op1, X, 1), GIVE(1, M),
			TAKE(1, M), ACCESS(1, kinds[i].op2, X, 2), GIVE(1, M),
			TAKE(2, M), ACCESS(2, kinds[i].opf, X, 3), GIVE(2, M),
		};
		/* The twin keeps it. */
		const struct hd_event kept[] = {
			TAKE(1, M), ACCESS(1, kinds[i].op1, X, 1), TAKE(1, N),
			GIVE(1, N), ACCESS(1, kinds[i].op2, X, 2), GIVE(1, M),
			TAKE(2, M), ACCESS(2, kinds[i].opf, X, 3), GIVE(2, M),
		};

		ANALYSE(torn, NULL);
		assert_int_equal(nfounds, 1);
		assert_string_equal(founds[0].kind, kinds[i].kind);
		assert_int_equal(founds[0].index1, 1);
		assert_int_equal(founds[0].index2, 4);
		assert_int_equal(founds[0].indexf, 7);
		assert_int_equal(founds[0].merged, 0);
		assert_int_equal(founds[0].addr, X);
		assert_int_equal(founds[0].size, 4);
		assert_int_equal(founds[0].group, -1);
		assert_int_equal(founds[0].locksf, 1);
		assert_false(founds[0].declared);
		ANALYSE(kept, NULL);
		assert_int_equal(nfounds, 0);
	}
}

/* The combinations that are serializable make no pattern: RRR RRW WRR (all others do). */
static void test_serializable(void **state)
{
	static const struct hd_event rrr[] = { R(1, X, 1), R(1, X, 2), R(2, X, 3) };
	static const struct hd_event rrw[] = { R(1, X, 1), W(1, X, 2), R(2, X, 3) };
	static const struct hd_event wrr[] = { W(1, X, 1), R(1, X, 2), R(2, X, 3) };
	static const struct hd_event alone[] = { R(1, X, 1), W(1, X, 2), R(1, X, 3) };

	(void)state;
	ANALYSE(rrr, NULL);
	assert_int_equal(nfounds, 0);
	ANALYSE(rrw, NULL);
	assert_int_equal(nfounds, 0);
	ANALYSE(wrr, NULL);
	assert_int_equal(nfounds, 0);
	ANALYSE(alone, NULL);
	assert_int_equal(nfounds, 0);
}

/* Two readers of a lock exclude only writers. */
static void test_shared_locks(void **state)
{
	static const struct hd_event readers[] = {
		RTAKE(1, M), R(1, X, 1), R(1, X, 2),  RGIVE(1, M),
		RTAKE(2, M), W(2, X, 3), RGIVE(2, M),
	};
	static const struct hd_event writer[] = {
		RTAKE(1, M), R(1, X, 1), R(1, X, 2), RGIVE(1, M),
		TAKE(2, M),  W(2, X, 3), GIVE(2, M),
	};

	(void)state;
	ANALYSE(readers, NULL);
	assert_int_equal(nfounds, 1);
	assert_string_equal(founds[0].kind, "RWR");
	ANALYSE(writer, NULL);
	assert_int_equal(nfounds, 0);
}

/*
 * T1 holds M and has used N, T2 holds N and has used M: each must have used its second lock
 * before the other took it, so they never stand at their accesses together. Swapping the
 * order in which T2 takes its locks makes the twin.
 */
static void test_acquisition_history(void **state)
{
	static const struct hd_event crossed[] = {
		TAKE(1, M), TAKE(1, N), GIVE(1, N), R(1, X, 1), R(1, X, 2), GIVE(1, M),
		TAKE(2, N), TAKE(2, M), GIVE(2, M), W(2, X, 3), GIVE(2, N),
	};
	static const struct hd_event straight[] = {
		TAKE(1, M), TAKE(1, N), GIVE(1, N), R(1, X, 1), R(1, X, 2), GIVE(1, M),
		TAKE(2, M), GIVE(2, M), TAKE(2, N), W(2, X, 3), GIVE(2, N),
	};

	(void)state;
	ANALYSE(crossed, NULL);
	assert_int_equal(nfounds, 0);
	ANALYSE(straight, NULL);
	assert_int_equal(nfounds, 1);
}

static void test_fork_and_join(void **state)
{
	static const struct hd_event before[] = {
		R(1, X, 1),
		R(1, X, 2),
		EV(1, HD_OP_FORK, 0, 2),
		W(2, X, 3),
	};
	static const struct hd_event after[] = {
		EV(1, HD_OP_FORK, 0, 2),
		W(2, X, 3),
		EV(1, HD_OP_JOIN, 0, 2),
		R(1, X, 1),
		R(1, X, 2),
	};
	static const struct hd_event between[] = {
		EV(1, HD_OP_FORK, 0, 2), W(2, X, 3), R(1, X, 1), R(1, X, 2),
		EV(1, HD_OP_JOIN, 0, 2),
	};
	static const struct hd_event around[] = {
		R(1, X, 1), EV(1, HD_OP_FORK, 0, 2), W(2, X, 3), EV(1, HD_OP_JOIN, 0, 2),
		R(1, X, 2),
	};
	/* Threads 2 and 3 are ordered by their parent, not by each other. */
	static const struct hd_event siblings[] = {
		EV(1, HD_OP_FORK, 0, 2), R(2, X, 1), R(2, X, 2), EV(1, HD_OP_JOIN, 0, 2),
		EV(1, HD_OP_FORK, 0, 3), W(3, X, 3),
	};

	(void)state;
	ANALYSE(before, NULL);
	assert_int_equal(nfounds, 0);
	ANALYSE(after, NULL);
	assert_int_equal(nfounds, 0);
	ANALYSE(between, NULL);
	assert_int_equal(nfounds, 1);
	ANALYSE(around, NULL);
	assert_int_equal(nfounds, 1);
	ANALYSE(siblings, NULL);
	assert_int_equal(nfounds, 0);
}

static void test_bytes(void **state)
{
	static const struct hd_event apart[] = { R(1, X, 1), R(1, X, 2), W(2, X + 4, 3) };
	static const struct hd_event touching[] = {
		R(1, X, 1),
		R(1, X, 2),
		{ .thread = 2, .op = HD_OP_WRITE, .addr = X + 3, .size = 1, .pc = 3 },
	};
	/* Between two reads of x the thread reads its neighbour in the same word. */
	static const struct hd_event neighbour[] = {
		R(1, X, 1),
		R(1, X + 4, 2),
		W(1, X, 3),
		W(2, X, 4),
	};
	/* A copy of 40 bytes over what two ints read across words: counted once. */
	static const struct hd_event range[] = {
		{ .thread = 1, .op = HD_OP_READ, .addr = X + 6, .size = 4, .pc = 1 },
		{ .thread = 1, .op = HD_OP_READ, .addr = X + 5, .size = 8, .pc = 2 },
		{ .thread = 2, .op = HD_OP_WRITE_RANGE, .addr = X - 8, .value = 40, .pc = 3 },
	};

	(void)state;
	ANALYSE(apart, NULL);
	assert_int_equal(nfounds, 0);
	ANALYSE(touching, NULL);
	assert_int_equal(nfounds, 1);
	assert_int_equal(founds[0].addr, X + 3);
	assert_int_equal(founds[0].size, 1);
	ANALYSE(neighbour, NULL);
	assert_int_equal(nfounds, 1);
	assert_int_equal(founds[0].pc1, 1);
	assert_int_equal(founds[0].pc2, 3);
	ANALYSE(range, NULL);
	assert_int_equal(nfounds, 1);
	assert_int_equal(founds[0].addr, X + 6);
	assert_int_equal(founds[0].size, 4);
	assert_int_equal(founds[0].merged, 0);
}

/* Ten rounds of lock, read, unlock, lock, write, unlock in each of two threads. */
static void test_merging(void **state)
{
	struct hd_event ev[120];
	size_t n = 0;

	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		for (unsigned t = 1; t <= 2; t++) {
			const struct hd_event round[] = {
				TAKE(t, M), R(t, X, 1), GIVE(t, M),
				TAKE(t, M), W(t, X, 2), GIVE(t, M),
			};

			memcpy(ev + n, round, sizeof(round));
			n += COUNT(round);
		}
	}
	analyse(ev, n, NULL, true);
	/*
	 * By site: RWW (1,2) torn by 2, WWR (2,1) by 2, WWW (2,2) by 2 and WRW (2,2) by 1. Each
	 * thread has 10 pairs (1,2) and 9 of the others; each meets 10 accesses of the other
	 * thread.
	 */
	assert_int_equal(nfounds, 4);
	assert_int_equal(reported(1, 2, 2), 1);
	assert_int_equal(reported(2, 2, 1), 1);
	assert_int_equal(reported(2, 2, 2), 1);
	assert_int_equal(reported(2, 1, 2), 1);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(founds[i].merged, 2 * (founds[i].pc1 == 1 ? 10 : 9) * 10 - 1);
	/* The nearest instance was chosen: f of the round after the pair, or that before it. */
	for (size_t i = 0; i < 4; i++) {
		uint64_t d =
			founds[i].indexf > founds[i].index2   ? founds[i].indexf - founds[i].index2
			: founds[i].indexf < founds[i].index1 ? founds[i].index1 - founds[i].indexf
							      : 0;

		assert_true(d <= 6);
	}
}

static void test_blocks(void **state)
{
	static const struct hd_event declared[] = {
		EV(1, HD_OP_BEGIN, 0, 0), R(1, X, 1), EV(1, HD_OP_BEGIN, 0, 0),
		EV(1, HD_OP_END, 0, 0),	  R(1, X, 2), W(1, X, 3),
		EV(1, HD_OP_END, 0, 0),	  R(1, X, 4), W(2, X, 5),
	};
	static const struct hd_patterns_options all = { .blocks = HD_BLOCKS_ALL };
	static const struct hd_event none[] = { R(1, X, 1), R(1, X, 2), W(2, X, 3) };
	static const struct hd_patterns_options only = { .blocks = HD_BLOCKS_DECLARED };

	(void)state;
	/* All pairs of the outer block: (1,2), (1,3), (2,3), and nothing with 4. */
	ANALYSE(declared, NULL);
	assert_int_equal(nfounds, 3);
	assert_int_equal(reported(1, 5, 2), 1);
	assert_int_equal(reported(1, 5, 3), 1);
	assert_int_equal(reported(2, 5, 3), 1);
	assert_true(founds[0].declared && founds[1].declared && founds[2].declared);
	/* With the rest of the code also (3,4), of which nobody said that it is one. */
	ANALYSE(declared, &all);
	assert_int_equal(nfounds, 4);
	assert_int_equal(reported(3, 5, 4), 1);
	ANALYSE(none, &only);
	assert_int_equal(nfounds, 0);
	ANALYSE(none, &all);
	assert_int_equal(nfounds, 1);
}

static void test_atomics(void **state)
{
	static const struct hd_event ev[] = {
		ACCESS(1, HD_OP_ATOMIC_LOAD, X, 1),
		ACCESS(1, HD_OP_ATOMIC_STORE, X, 2),
		ACCESS(2, HD_OP_ATOMIC_RMW, X, 3),
	};
	static const struct hd_event failed_cas[] = {
		ACCESS(1, HD_OP_ATOMIC_RMW, X, 1),
		ACCESS(1, HD_OP_ATOMIC_RMW, X, 2),
		ACCESS(2, HD_OP_ATOMIC_CAS_FAIL, X, 3),
	};
	static const struct hd_patterns_options without = { .leave_out_atomics = true };

	(void)state;
	ANALYSE(ev, NULL);
	assert_int_equal(nfounds, 1);
	assert_string_equal(founds[0].kind, "RWW");
	ANALYSE(failed_cas, NULL);
	assert_int_equal(nfounds, 1);
	assert_string_equal(founds[0].kind, "WRW");
	ANALYSE(ev, &without);
	assert_int_equal(nfounds, 0);
}

/* What is freed and handed out again is another variable; so is a lock at the same address. */
static void test_reuse(void **state)
{
	static const struct hd_event memory[] = {
		R(1, X, 1), R(1, X, 2), EV(1, HD_OP_FREE, X, 16), EV(2, HD_OP_ALLOC, X, 16),
		W(2, X, 3),
	};
	static const struct hd_event huge[] = {
		R(1, X, 1),
		R(1, X, 2),
		EV(1, HD_OP_FREE, X - 8, 1ull << 40),
		W(2, X, 3),
	};
	static const struct hd_event lock[] = {
		TAKE(1, M),
		R(1, X, 1),
		R(1, X, 2),
		GIVE(1, M),
		EV(1, HD_OP_LOCK_DESTROY, M, 0),
		EV(1, HD_OP_LOCK_INIT, M, 0),
		TAKE(2, M),
		W(2, X, 3),
		GIVE(2, M),
	};
	static const struct hd_event same_lock[] = {
		TAKE(1, M), R(1, X, 1), R(1, X, 2), GIVE(1, M), TAKE(2, M), W(2, X, 3), GIVE(2, M),
	};

	(void)state;
	ANALYSE(memory, NULL);
	assert_int_equal(nfounds, 0);
	ANALYSE(huge, NULL);
	assert_int_equal(nfounds, 0);
	ANALYSE(lock, NULL);
	assert_int_equal(nfounds, 1);
	ANALYSE(same_lock, NULL);
	assert_int_equal(nfounds, 0);
}

/* A recursive lock is held until it was given back as often as it was taken. */
static void test_recursive(void **state)
{
	static const struct hd_event ev[] = {
		TAKE(1, M), TAKE(1, M), R(1, X, 1), GIVE(1, M), R(1, X, 2),
		GIVE(1, M), TAKE(2, M), W(2, X, 3), GIVE(2, M),
	};

	(void)state;
	ANALYSE(ev, NULL);
	assert_int_equal(nfounds, 0);
}

static void test_groups(void **state)
{
	static const struct hd_group_range ranges[] = { { X, 4, 7 }, { Y, 4, 7 } };
	static const struct hd_patterns_options grouped = { .groups = ranges, .ngroups = 2 };
	/* T1 reads x and y, meant as one; T2 writes both. */
	static const struct hd_event both[] = {
		R(1, X, 1),
		R(1, Y, 2),
		W(2, X, 3),
		W(2, Y, 4),
	};
	/* T2 writes only y: equal to T2 before T1. */
	static const struct hd_event one[] = { R(1, X, 1), R(1, Y, 2), W(2, Y, 4) };
	/* Under one lock for the whole. */
	static const struct hd_event locked[] = {
		TAKE(1, M), R(1, X, 1), R(1, Y, 2), GIVE(1, M),
		TAKE(2, M), W(2, X, 3), W(2, Y, 4), GIVE(2, M),
	};
	/* W(y) beside R(x) W(x) is about nothing in common. */
	static const struct hd_event apart[] = { R(1, X, 1), W(1, X, 2), W(2, Y, 3) };
	static const struct hd_event said[] = {
		{ .thread = 1, .op = HD_OP_GROUP, .addr = X, .value = 4, .value2 = 3 },
		{ .thread = 1, .op = HD_OP_GROUP, .addr = Y, .value = 4, .value2 = 3 },
		R(1, X, 1),
		R(1, Y, 2),
		W(2, X, 3),
		W(2, Y, 4),
	};

	(void)state;
	ANALYSE(both, NULL);
	assert_int_equal(nfounds, 0);
	ANALYSE(both, &grouped);
	/* (1,2) torn by 3 or by 4; T2's own pair (3,4) by 1 or by 2 is WRW. */
	assert_int_equal(nfounds, 4);
	assert_int_equal(reported(1, 3, 2), 1);
	assert_int_equal(reported(1, 4, 2), 1);
	assert_int_equal(reported(3, 1, 4), 1);
	assert_int_equal(reported(3, 2, 4), 1);
	for (size_t i = 0; i < nfounds; i++)
		assert_int_equal(founds[i].group, 7);
	ANALYSE(one, &grouped);
	assert_int_equal(nfounds, 0);
	ANALYSE(locked, &grouped);
	assert_int_equal(nfounds, 0);
	ANALYSE(apart, &grouped);
	assert_int_equal(nfounds, 0);
	ANALYSE(said, NULL);
	assert_int_equal(nfounds, 4);
	assert_int_equal(founds[0].group, 3);
}

/* Without sites each access of a short run is its own. */
static void test_without_sites(void **state)
{
	static const struct hd_event ev[] = {
		R(1, X, 0),
		R(1, X, 0),
		R(1, X, 0),
		W(2, X, 0),
	};

	(void)state;
	ANALYSE(ev, NULL);
	assert_int_equal(nfounds, 2);
	assert_int_equal(founds[0].index1, 0);
	assert_int_equal(founds[1].index1, 1);
}

/* A section with more points than are kept: the outer lock still excludes, another does not. */
static void test_long_section(void **state)
{
	static struct hd_event ev[1 + 2 * 300 + 16];

	(void)state;
	for (unsigned other = 0; other < 2; other++) {
		const struct hd_event f[] = { TAKE(2, other ? N : M), W(2, X, 3),
					      GIVE(2, other ? N : M) };
		const struct hd_event begin[] = { TAKE(1, M), R(1, X, 1) };
		const struct hd_event end[] = { R(1, X, 2), GIVE(1, M) };
		size_t n = 0;

		memcpy(ev, begin, sizeof(begin));
		n = 2;
		for (unsigned i = 0; i < 300; i++) {
			ev[n++] = (struct hd_event)TAKE(1, 0x3000 + 64 * i);
			ev[n++] = (struct hd_event)GIVE(1, 0x3000 + 64 * i);
		}
		memcpy(ev + n, end, sizeof(end));
		memcpy(ev + n + 2, f, sizeof(f));
		analyse(ev, n + 5, NULL, false);
		assert_int_equal(nfounds, other);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds_and_twins),
		cmocka_unit_test(test_serializable),
		cmocka_unit_test(test_shared_locks),
		cmocka_unit_test(test_acquisition_history),
		cmocka_unit_test(test_fork_and_join),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_merging),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_atomics),
		cmocka_unit_test(test_reuse),
		cmocka_unit_test(test_recursive),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_without_sites),
		cmocka_unit_test(test_long_section),
		cmocka_unit_test(test_two_threads_nested),
		cmocka_unit_test(test_nothing_is_missed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
