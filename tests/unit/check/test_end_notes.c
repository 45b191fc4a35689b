/*
 * What a check says about what it did not try.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check/steps.h"

struct end {
	struct hd_campaign c;
	const char *says; /* NULL: nothing */
};

static void check_end(const struct end *e)
{
	struct hd_trial trial = { 0 };
	struct hd_observation observation = { .trial = &trial };
	struct hd_campaign c = e->c;

	c.observations = &observation;
	c.nobservations = 1;
	hd_check_end_notes(&c);
	assert_int_equal(c.nnotes, e->says ? 1 : 0);
	if (e->says)
		assert_string_equal(c.notes[0], e->says);
	free(c.notes[0]);
}

static void every_end_has_its_note(void **state)
{
	const struct end ends[] = {
		{ { .analysed = true, .nattempts = 5, .decided = 5 }, NULL },
		{ { .out_of_time = true },
		  "--time ran out before the runs were analysed: no candidates were looked for" },
		{ { .interrupted = true },
		  "interrupted before the runs were analysed: no candidates were looked for" },
		{ { .analysed = true, .out_of_memory = true, .nattempts = 5, .decided = 2 },
		  "--memory ran out: 2 of 5 candidates were tried" },
		{ { .analysed = true,
		    .out_of_time = true,
		    .nattempts = 5,
		    .decided = 2,
		    .partly = 1 },
		  "--time ran out: 3 of 5 candidates were tried, 1 of them not in every way" },
		{ { .analysed = true, .nattempts = 5, .decided = 3, .partly = 2 },
		  "stopped at the first confirmed finding; --keep-going tries 2 candidates in more ways" },
		{ { .analysed = true, .nattempts = 5, .decided = 2 },
		  "stopped at the first confirmed finding; --keep-going tries the other candidates too" },
		{ { .analysed = true, .nattempts = 5, .decided = 4 },
		  "stopped at the first confirmed finding; --keep-going tries the other candidates too" },
		{ { .analysed = true, .unfinished = 1 },
		  "1 run had to be ended for taking too long" },
		{ { .analysed = true, .unfinished = 2 },
		  "2 runs had to be ended for taking too long" },
	};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		check_end(&ends[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_end_has_its_note),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
