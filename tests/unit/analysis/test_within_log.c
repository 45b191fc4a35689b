/*
 * In which construct a thread was when: against a list of everything that was said, on random
 * stretches of loops, regular ones and such with synchronisation in them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/within_log.h"
#include "common/rng.h"

#define NOTES 60

struct note {
	uint32_t at;
	uint64_t place, number;
	uint16_t kind;
};

static void say(struct hd_within_log *l, struct hd_intern *table, struct note *notes, size_t *n,
		const struct hd_event *ev, uint32_t now)
{
	struct note note = { .at = now, .place = ev->value, .number = ev->value2, .kind = ev->arg };

	assert_true(hd_within_note(l, table, ev, now));
	if (ev->op == HD_OP_ITERATION) {
		note.place = notes[*n - 1].place;
		note.kind = notes[*n - 1].kind;
	}
	notes[(*n)++] = note;
}

/* A loop: a CONSTRUCT, then iterations in strides that now and then are disturbed. */
static void loop(struct hd_rng *rng, struct hd_within_log *l, struct hd_intern *table,
		 struct note *notes, size_t *n, uint32_t *now)
{
	struct hd_event ev = { .op = HD_OP_CONSTRUCT,
			       .value = 0x1000 + hd_rng_below(rng, 3),
			       .value2 = hd_rng_below(rng, 2) ? HD_NO_PART : hd_rng_below(rng, 4),
			       .arg = (uint16_t)(1 + hd_rng_below(rng, 3)) };
	uint32_t stride = 1 + (uint32_t)hd_rng_below(rng, 3);
	uint64_t step = 1 + hd_rng_below(rng, 2);

	say(l, table, notes, n, &ev, *now);
	ev = (struct hd_event){ .op = HD_OP_ITERATION, .value2 = hd_rng_below(rng, 5) };
	for (uint64_t k = hd_rng_below(rng, 8); k; k--) {
		*now += hd_rng_below(rng, 6) ? stride : (uint32_t)hd_rng_below(rng, 9);
		ev.value2 += hd_rng_below(rng, 8) ? step : hd_rng_below(rng, 20);
		say(l, table, notes, n, &ev, *now);
	}
	*now += (uint32_t)hd_rng_below(rng, 3);
}

static void check(const struct hd_within_log *l, const struct hd_intern *table,
		  const struct note *notes, size_t n, uint32_t end)
{
	for (uint32_t when = 0; when < end + 3; when++) {
		struct hd_within got = hd_within_at(l, table, when);
		const struct note *want = NULL;

		for (size_t i = 0; i < n && notes[i].at <= when; i++)
			want = &notes[i];
		assert_int_equal(got.kind, want ? want->kind : 0);
		if (!want)
			continue;
		assert_int_equal(got.place, want->place);
		assert_int_equal(got.number, want->number);
	}
}

static void against_a_list(void **state)
{
	for (uint64_t seed = 1; seed <= 20000; seed++) {
		struct hd_within_log l = { 0 };
		struct hd_intern table = { 0 };
		struct note notes[NOTES + 16];
		struct hd_rng rng;
		uint32_t now = 2;
		size_t n = 0;

		hd_rng_seed(&rng, seed);
		while (n < NOTES)
			loop(&rng, &l, &table, notes, &n, &now);
		check(&l, &table, notes, n, now);
		free(l.runs);
		hd_intern_free(&table);
	}
}

/* A long loop takes no more room than a short one. */
static void regular_loops_are_small(void **state)
{
	struct hd_event ev = {
		.op = HD_OP_CONSTRUCT, .value = 1, .arg = HD_IN_FOR, .value2 = HD_NO_PART
	};
	struct hd_within_log l = { 0 };
	struct hd_intern table = { 0 };

	assert_true(hd_within_note(&l, &table, &ev, 1));
	ev = (struct hd_event){ .op = HD_OP_ITERATION };
	for (uint32_t i = 0; i < 100000; i++) {
		ev.value2 = i;
		assert_true(hd_within_note(&l, &table, &ev, 2 + 2 * i));
	}
	assert_true(l.nruns <= 2);
	assert_int_equal(hd_within_at(&l, &table, 2 + 2 * 4711 + 1).number, 4711);
	free(l.runs);
	hd_intern_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_a_list),
		cmocka_unit_test(regular_loops_are_small),
	};

	puts("seeds 1 to 20000");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
