/*
 * Lists of instructions in options.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "fake_runtime.h"
#include "runtime/explore/explore_sites.h"

static void distances_add_up(void **state)
{
	struct hd_rt_sites s = { 0 };

	assert_true(hd_rt_sites_read(&s, "401136,1c,8"));
	assert_int_equal(s.n, 3);
	assert_true(hd_rt_sites_has(&s, 0x401136));
	assert_true(hd_rt_sites_has(&s, 0x401152));
	assert_true(hd_rt_sites_has(&s, 0x40115a));
	assert_false(hd_rt_sites_has(&s, 0x1c));
	assert_false(hd_rt_sites_has(&s, 0x401137));
}

static void an_empty_list_has_nothing(void **state)
{
	struct hd_rt_sites s = { 0 };

	assert_true(hd_rt_sites_read(&s, ""));
	assert_false(hd_rt_sites_has(&s, 0x401136));
}

static void other_text_is_refused(void **state)
{
	static const char *const bad[] = { ",", "x", "12,,3", "12;3", "12,0", "0", "12 ", "AB" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct hd_rt_sites s = { 0 };

		assert_false(hd_rt_sites_read(&s, bad[i]));
	}
}

static void long_lists_are_kept_whole(void **state)
{
	static char list[100000];
	struct hd_rt_sites s = { 0 };
	size_t n = 0;

	for (int i = 1; i <= 10000; i++)
		n += (size_t)sprintf(list + n, "%s%x", i > 1 ? "," : "", 1 + i % 3);
	assert_true(hd_rt_sites_read(&s, list));
	assert_int_equal(s.n, 10000);
	for (uintptr_t pc = 0, i = 1; i <= 10000; i++) {
		uintptr_t next = pc + 1 + i % 3;

		for (uintptr_t between = pc + 1; between < next; between++)
			assert_false(hd_rt_sites_has(&s, between));
		assert_true(hd_rt_sites_has(&s, next));
		pc = next;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances_add_up),
		cmocka_unit_test(an_empty_list_has_nothing),
		cmocka_unit_test(other_text_is_refused),
		cmocka_unit_test(long_lists_are_kept_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
