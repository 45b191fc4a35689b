/*
 * The last part of a file's name.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/path.h"

static void test_base_name(void **state)
{
	const char *path = "/usr/lib/libc.so.6";

	assert_string_equal(hd_base_name("a.c"), "a.c");
	assert_string_equal(hd_base_name("src/a.c"), "a.c");
	assert_ptr_equal(hd_base_name(path), path + 9); /* within it: nothing is copied */
	assert_string_equal(hd_base_name("/a"), "a");
	assert_string_equal(hd_base_name("a/"), "");
	assert_string_equal(hd_base_name("/"), "");
	assert_string_equal(hd_base_name(""), "");
	assert_null(hd_base_name(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_base_name) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
