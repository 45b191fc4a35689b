/*
 * The accounts of an exploration in rounds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/rounds.h"

static void budgets_shrink_until_they_are_over(void **state)
{
	struct hd_xoptions how = { .max_executions = 100, .max_seconds = 10 };
	const struct hd_xstats some = { .executions = 40 };

	assert_true(hd_xoptions_spend(&how, &some, 1));
	assert_int_equal(how.max_executions, 60);
	assert_true(how.max_seconds == 9);
	assert_true(hd_xoptions_spend(&how, &some, 1));
	assert_int_equal(how.max_executions, 20);
	assert_false(hd_xoptions_spend(&how, &some, 1));
}

/* None may become 0, which is no limit. */
static void a_budget_that_is_used_up_is_over(void **state)
{
	struct hd_xoptions executions = { .max_executions = 40 }, seconds = { .max_seconds = 2 };
	const struct hd_xstats some = { .executions = 40 };

	assert_false(hd_xoptions_spend(&executions, &some, 1));
	assert_int_equal(executions.max_executions, 40);
	assert_false(hd_xoptions_spend(&seconds, &some, 2));
	assert_true(seconds.max_seconds == 2);
}

static void no_limit_stays_none(void **state)
{
	struct hd_xoptions how = { 0 };
	const struct hd_xstats many = { .executions = UINT64_MAX };

	assert_true(hd_xoptions_spend(&how, &many, 1e9));
	assert_int_equal(how.max_executions, 0);
	assert_true(how.max_seconds == 0);
}

static void rounds_add_up(void **state)
{
	struct hd_xstats sum = { 0 };
	const struct hd_xstats first = { .executions = 5,
					 .states = 7,
					 .collisions = 1,
					 .depth = 9,
					 .cut = 3,
					 .stopped = "time" };
	const struct hd_xstats last = {
		.executions = 10, .states = 1, .collisions = 2, .depth = 4, .complete = true
	};

	hd_xstats_add(&sum, &first);
	assert_string_equal(sum.stopped, "time");
	hd_xstats_add(&sum, &last);
	assert_int_equal(sum.executions, 15);
	assert_int_equal(sum.states, 8);
	assert_int_equal(sum.collisions, 3);
	assert_int_equal(sum.depth, 9);
	/* What the last round leaves out or proves, it does for all. */
	assert_int_equal(sum.cut, 0);
	assert_true(sum.complete);
	assert_null(sum.stopped);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(budgets_shrink_until_they_are_over),
		cmocka_unit_test(a_budget_that_is_used_up_is_over),
		cmocka_unit_test(no_limit_stays_none),
		cmocka_unit_test(rounds_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
