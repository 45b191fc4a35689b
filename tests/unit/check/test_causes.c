/*
 * Causes and companions: whose failing run may be another candidate's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "check/steps.h"

static void only_what_the_program_survives_is_a_companion(void **state)
{
	const struct hd_candidate pattern = { .found.kind = HD_KIND_PATTERN };
	const struct hd_candidate declared = { .found.kind = HD_KIND_PATTERN, .declared = true };
	const struct hd_candidate race = { .found.kind = HD_KIND_RACE };
	struct hd_trial failing = { 0 };
	struct hd_attempt a = { .candidate = &pattern, .survived = true, .failing = &failing };

	assert_true(hd_check_may_be_companion(&a));
	a.survived = false;
	assert_false(hd_check_may_be_companion(&a));
	a.survived = true;
	a.failing = NULL;
	assert_false(hd_check_may_be_companion(&a));
	a.failing = &failing;
	a.candidate = &declared; /* that is broken, whatever else is */
	assert_false(hd_check_may_be_companion(&a));
	a.candidate = &race;
	assert_false(hd_check_may_be_companion(&a));
}

/* Without somebody who always fails, and in the same way, there is nobody to be companion of. */
static void a_companion_needs_a_cause(void **state)
{
	const struct hd_candidate pattern = { .found.kind = HD_KIND_PATTERN };
	const struct hd_failure crash = { .what = HD_FAIL_FINDING, .place = "1" };
	struct hd_trial failing = { 0 };
	struct hd_attempt attempts[] = {
		{ .candidate = &pattern, .survived = true, .failing = &failing, .failure = crash },
		{ .candidate = &pattern,
		  .survived = true,
		  .failure = crash,
		  .verdict = HD_VERDICT_CONFIRMED },
		{ .candidate = &pattern, .failure = crash, .verdict = HD_VERDICT_REALISED },
		{ .candidate = &pattern,
		  .failure = { .what = HD_FAIL_EXIT, .code = 1 },
		  .verdict = HD_VERDICT_CONFIRMED },
	};
	const struct hd_campaign c = { .attempts = attempts, .nattempts = 4 };

	assert_true(hd_check_may_be_companion(&attempts[0]));
	assert_false(hd_check_is_companion(&c, &attempts[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_the_program_survives_is_a_companion),
		cmocka_unit_test(a_companion_needs_a_cause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
