#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/err.h"

static void texts(void **state)
{
	assert_string_equal(hd_err_text(HD_OK), "no error");
	assert_string_equal(hd_err_text(HD_ERR_FULL), "no space left on the device");
	assert_string_equal(hd_err_text((enum hd_err)9999), "unknown error");
	assert_string_equal(hd_err_text((enum hd_err) - 1), "unknown error");
}

static void details(void **state)
{
	struct hd_errbuf eb;

	assert_int_equal(hd_fail(&eb, HD_ERR_IO, "byte %d of '%s'", 7, "x"), HD_ERR_IO);
	assert_int_equal(eb.code, HD_ERR_IO);
	assert_string_equal(eb.text, "byte 7 of 'x'");
	assert_int_equal(hd_fail(NULL, HD_ERR_LIMIT, "unused"), HD_ERR_LIMIT);
}

static void long_text_is_cut(void **state)
{
	struct hd_errbuf eb;

	hd_fail(&eb, HD_ERR_IO, "%2000d", 1);
	assert_int_equal(strlen(eb.text), sizeof(eb.text) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(texts), cmocka_unit_test(details),
					    cmocka_unit_test(long_text_is_cut) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
