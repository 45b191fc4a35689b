/*
 * What counts as shared: against the definition, over all pairs of accesses, on
 * random runs with forks and joins.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/sharing.h"
#include "common/rng.h"

#define EVENTS	40
#define THREADS 5

static bool access_of(const struct hd_event *e)
{
	return e->op == HD_OP_READ || e->op == HD_OP_WRITE;
}

static bool must_order(const struct hd_event *a, const struct hd_event *b)
{
	return a->thread == b->thread || (a->op == HD_OP_FORK && a->value == b->thread) ||
	       (b->op == HD_OP_JOIN && b->value == a->thread) ||
	       (a->op == HD_OP_FORK && b->op == HD_OP_JOIN && a->value == b->value);
}

/* Threads 1 and 2 are there from the start; the others are forked, and joined at most once. */
static int make_run(struct hd_event *ev, uint64_t seed)
{
	uint32_t alive = 1u << 1 | 1u << 2, next = 3;
	struct hd_rng rng;
	int n = 0;

	hd_rng_seed(&rng, seed);
	while (n < EVENTS) {
		uint32_t t = 1 + (uint32_t)hd_rng_below(&rng, next - 1), other;

		if (!(alive >> t & 1))
			continue;
		ev[n] = (struct hd_event){ .thread = t, .pc = (uint64_t)n };
		other = 1 + (uint32_t)hd_rng_below(&rng, next - 1);
		if (hd_rng_below(&rng, 8) == 0 && next <= THREADS) {
			ev[n].op = HD_OP_FORK;
			ev[n].value = next;
			alive |= 1u << next++;
		} else if (hd_rng_below(&rng, 8) == 0 && other != t && alive >> other & 1) {
			ev[n].op = HD_OP_JOIN;
			ev[n].value = other;
			alive &= ~(1u << other);
		} else {
			ev[n].op = hd_rng_below(&rng, 3) ? HD_OP_READ : HD_OP_WRITE;
			ev[n].addr = 0x1000 + 8 * hd_rng_below(&rng, 6);
			ev[n].size = 8;
		}
		n++;
	}
	return n;
}

static void random_runs(void **state)
{
	static bool hb[EVENTS][EVENTS];
	struct hd_event ev[EVENTS];
	unsigned kept_in_vain = 0, shared_in_all = 0;

	print_message("seeds 1 to 20000\n");
	for (uint64_t seed = 1; seed <= 20000; seed++) {
		struct hd_sharing *s = hd_sharing_new(HD_SHARING_ORDER);
		int n = make_run(ev, seed);

		for (int j = 0; j < n; j++) {
			assert_true(hd_sharing_learn(s, &ev[j]));
			for (int i = 0; i < j; i++)
				hb[i][j] = must_order(&ev[i], &ev[j]);
		}
		for (int k = 0; k < n; k++)
			for (int i = 0; i < k; i++)
				for (int j = k + 1; j < n; j++)
					hb[i][j] |= hb[i][k] && hb[k][j];
		for (int e = 0; e < n; e++) {
			bool shared = false;

			for (int j = 0; access_of(&ev[e]) && j < n; j++)
				for (int i = 0; i < j; i++)
					shared |= access_of(&ev[i]) && access_of(&ev[j]) &&
						  ev[i].addr == ev[e].addr &&
						  ev[j].addr == ev[e].addr && !hb[i][j] &&
						  (ev[i].op == HD_OP_WRITE ||
						   ev[j].op == HD_OP_WRITE);
			if (shared && !hd_sharing_matters(s, &ev[e]))
				fail_msg("seed %lu: event %d matters and would be lost", seed, e);
			if (!access_of(&ev[e]))
				assert_true(hd_sharing_matters(s, &ev[e]));
			else if (!shared)
				kept_in_vain += hd_sharing_matters(s, &ev[e]);
			else
				shared_in_all++;
		}
		hd_sharing_free(s);
	}
	/* It may err to the safe side only where three or more read in parallel. */
	assert_true(shared_in_all > 1000);
	assert_true(kept_in_vain * 50 < shared_in_all);
}

static void the_typical_program(void **state)
{
	/* Main fills, two threads read and each writes its own, main reads the results. */
	struct hd_event ev[] = {
		{ .thread = 1, .op = HD_OP_WRITE, .addr = 0x100, .size = 8 },
		{ .thread = 1, .op = HD_OP_FORK, .value = 2 },
		{ .thread = 1, .op = HD_OP_FORK, .value = 3 },
		{ .thread = 2, .op = HD_OP_READ, .addr = 0x100, .size = 8 },
		{ .thread = 3, .op = HD_OP_READ, .addr = 0x100, .size = 8 },
		{ .thread = 2, .op = HD_OP_WRITE, .addr = 0x200, .size = 8 },
		{ .thread = 3, .op = HD_OP_WRITE, .addr = 0x300, .size = 8 },
		{ .thread = 2, .op = HD_OP_WRITE, .addr = 0x400, .size = 8 },
		{ .thread = 3, .op = HD_OP_READ, .addr = 0x404, .size = 4 },
		{ .thread = 1, .op = HD_OP_JOIN, .value = 2 },
		{ .thread = 1, .op = HD_OP_JOIN, .value = 3 },
		{ .thread = 1, .op = HD_OP_READ, .addr = 0x200, .size = 8 },
		{ .thread = 1, .op = HD_OP_READ, .addr = 0x300, .size = 8 },
	};
	struct hd_sharing *s = hd_sharing_new(HD_SHARING_ORDER);

	for (size_t i = 0; i < sizeof(ev) / sizeof(ev[0]); i++)
		assert_true(hd_sharing_learn(s, &ev[i]));
	for (size_t i = 0; i < sizeof(ev) / sizeof(ev[0]); i++) {
		bool plain = ev[i].op == HD_OP_READ || ev[i].op == HD_OP_WRITE;

		assert_int_equal(hd_sharing_matters(s, &ev[i]), !plain || ev[i].addr >= 0x400);
	}
	hd_sharing_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_typical_program),
		cmocka_unit_test(random_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
