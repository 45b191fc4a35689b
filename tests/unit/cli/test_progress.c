/*
 * How long it may still take, in words. The expected numbers are seconds * (1 - part) / part.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/listener.h"

static void expect(double part, double seconds, double most, const char *text)
{
	char buf[HD_PROGRESS_LEFT];

	assert_string_equal(hd_progress_left(buf, part, seconds, most), text);
}

static void by_the_part_that_is_done(void **state)
{
	expect(0.25, 10, 0, ", about 30 s left");
	expect(0.5, 119, 0, ", about 119 s left");
	expect(0.5, 120, 0, ", about 2 min left");
	expect(0.01, 600, 0, ", about 16 h left"); /* 59,400 s */
	expect(1, 10, 0, ", about 1 s left");	   /* it has not ended yet */
}

static void too_early(void **state)
{
	expect(0.5, 0.1, 0, "");
	expect(0, 10, 0, "");
	expect(1.5, 10, 0, ""); /* the estimate of the whole was wrong */
}

static void no_longer_than_the_budget(void **state)
{
	expect(0.01, 10, 60, ", about 60 s left");
	expect(0, 10, 60, ", about 60 s left");
	expect(0.5, 10, 60, ", about 10 s left");
}

static void nothing_is_shown_without_a_listener(void **state)
{
	assert_false(hd_progress_due());
	hd_progress_show("%s", "nobody sees this");
	hd_progress_clear();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_the_part_that_is_done),
		cmocka_unit_test(too_early),
		cmocka_unit_test(no_longer_than_the_budget),
		cmocka_unit_test(nothing_is_shown_without_a_listener),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
