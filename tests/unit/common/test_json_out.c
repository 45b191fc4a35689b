#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/json_out.h"

struct doc {
	struct hd_json json;
	char *text;
	size_t len;
};

static void start(struct doc *d)
{
	hd_json_init(&d->json, open_memstream(&d->text, &d->len));
}

static void check(struct doc *d, const char *want)
{
	fclose(d->json.out);
	assert_string_equal(d->text, want);
	free(d->text);
}

static void kinds(void **state)
{
	struct doc d;

	start(&d);
	hd_json_open(&d.json, NULL, '{');
	hd_json_str(&d.json, "s", "a");
	hd_json_str(&d.json, "none", NULL);
	hd_json_int(&d.json, "i", INT64_MIN);
	hd_json_uint(&d.json, "u", UINT64_MAX);
	hd_json_real(&d.json, "r", 0.5);
	hd_json_bool(&d.json, "b", true);
	hd_json_null(&d.json, "n");
	hd_json_close(&d.json, '}');
	check(&d, "{\n  \"s\": \"a\",\n  \"none\": null,\n  \"i\": -9223372036854775808,\n"
		  "  \"u\": 18446744073709551615,\n  \"r\": 0.500000,\n  \"b\": true,\n"
		  "  \"n\": null\n}\n");
}

static void nesting(void **state)
{
	struct doc d;

	start(&d);
	hd_json_open(&d.json, NULL, '[');
	hd_json_open(&d.json, NULL, '{');
	hd_json_close(&d.json, '}');
	hd_json_int(&d.json, NULL, 1);
	hd_json_close(&d.json, ']');
	check(&d, "[\n  {},\n  1\n]\n");
}

static void check_string(const char *in, const char *want)
{
	struct doc d;
	char whole[256];

	start(&d);
	hd_json_open(&d.json, NULL, '[');
	hd_json_str(&d.json, NULL, in);
	hd_json_close(&d.json, ']');
	snprintf(whole, sizeof(whole), "[\n  \"%s\"\n]\n", want);
	check(&d, whole);
}

/* Whatever bytes come in, what goes out is UTF-8 inside quotes. */
static void strings(void **state)
{
	check_string("a\"b\\c", "a\\\"b\\\\c");
	check_string("\n\t\x01\x7f", "\\n\\t\\u0001\\u007f");
	check_string("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
		     "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	check_string("\xff", "\\ufffd");
	check_string("\xc3", "\\ufffd");				  /* cut off */
	check_string("\xc0\xaf", "\\ufffd\\ufffd");			  /* overlong */
	check_string("\xed\xa0\x80", "\\ufffd\\ufffd\\ufffd");		  /* a surrogate */
	check_string("\xf4\x90\x80\x80", "\\ufffd\\ufffd\\ufffd\\ufffd"); /* past U+10FFFF */
	check_string("", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(kinds), cmocka_unit_test(nesting),
					    cmocka_unit_test(strings) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
