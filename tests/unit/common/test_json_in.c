/*
 * The JSON reader: values, escapes, what is refused; and random documents of the JSON writer, which
 * must come back as they were written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/json_in.h"
#include "common/json_out.h"
#include "common/rng.h"

static struct hd_json_doc *parse(const char *text)
{
	struct hd_errbuf eb = { 0 };
	struct hd_json_doc *doc;

	if (hd_json_parse(&doc, text, strlen(text), "x", &eb) != HD_OK)
		fail_msg("%s", eb.text);
	return doc;
}

static void values_are_read(void **state)
{
	struct hd_json_doc *doc =
		parse(" {\"a\": [1, -2.5e3, true, false, null, \"s\"], \"b\": {},\n"
		      "\"n\":18446744073709551615}");
	const struct hd_json_value *root = hd_json_root(doc), *v;

	assert_int_equal(root->kind, HD_JSON_OBJECT);
	v = hd_json_items(root, "a");
	assert_string_equal(v->text, "1");
	assert_string_equal(v->next->text, "-2.5e3");
	assert_true(v->next->next->yes);
	assert_int_equal(v->next->next->next->kind, HD_JSON_BOOL);
	assert_false(v->next->next->next->yes);
	assert_int_equal(v->next->next->next->next->kind, HD_JSON_NULL);
	assert_string_equal(v->next->next->next->next->next->text, "s");
	assert_null(v->next->next->next->next->next->next);
	assert_int_equal(hd_json_get(root, "b")->kind, HD_JSON_OBJECT);
	assert_true(hd_json_get_number(root, "n") == UINT64_MAX);
	assert_null(hd_json_get(root, "c"));
	assert_null(hd_json_get_text(root, "a"));
	assert_null(hd_json_get(NULL, "a"));
	assert_false(hd_json_get_bool(root, "a"));
	hd_json_free(doc);
}

static void escapes_are_undone(void **state)
{
	struct hd_json_doc *doc =
		parse("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"\\u0041\\u00e9\\u20ac\","
		      "\"\\ud83d\\ude00\", \"\\ud83d\", \"\\u0000\", \"\\ud83d\\u0041\"]");
	const struct hd_json_value *v = hd_json_root(doc)->first;

	assert_string_equal(v->text, "\"\\/\b\f\n\r\t");
	v = v->next;
	assert_string_equal(v->text, "A\xc3\xa9\xe2\x82\xac");
	v = v->next;
	assert_string_equal(v->text, "\xf0\x9f\x98\x80");
	for (int i = 0; i < 3; i++) { /* half a character, a zero, a half before something else */
		v = v->next;
		assert_string_equal(v->text, "\xef\xbf\xbd");
	}
	hd_json_free(doc);
}

static void what_is_no_json_is_refused(void **state)
{
	static const char *const wrong[] = {
		"",	 "{",	       "[1",	  "[1,]",      "{\"a\"}", "{\"a\":}",
		"{a:1}", "\"open",     "\"\\x\"", "\"\\u12\"", "\"\n\"",  "tru",
		"[1] 2", "{\"a\":1,}", "\"\\",	  "nul",       "]",	  "-",
	};
	struct hd_errbuf eb;
	struct hd_json_doc *doc;
	char deep[200];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (hd_json_parse(&doc, wrong[i], strlen(wrong[i]), "x", &eb) != HD_ERR_PARSE)
			fail_msg("taken: %s", wrong[i]);
		assert_null(doc);
	}
	memset(deep, '[', sizeof(deep));
	assert_int_equal(hd_json_parse(&doc, deep, sizeof(deep), "x", &eb), HD_ERR_PARSE);
	assert_int_equal(hd_json_parse(&doc, "[\n1,\n}", 6, "x.json", &eb), HD_ERR_PARSE);
	assert_string_equal(eb.text, "x.json: line 3: expected a value");
}

/* ---- random documents: written and compared by the same choices ------------------------- */

static void make_text(struct hd_rng *rng, char *buf, size_t len)
{
	static const char *const pieces[] = { "a",	  "\"", "\\", "\n", "\x01",
					      "\xc3\xa9", "/",	"<",  "" };
	size_t n = hd_rng_below(rng, 6);

	*buf = 0;
	while (n--)
		snprintf(buf + strlen(buf), len - strlen(buf), "%s", pieces[hd_rng_below(rng, 9)]);
}

/* Write a value (@out) or compare it (@v), by the same random choices. */
static void random_value(struct hd_rng *rng, struct hd_json *out, const struct hd_json_value *v,
			 const char *key, unsigned depth)
{
	unsigned kind = (unsigned)hd_rng_below(rng, depth ? 6 : 4);
	uint64_t number = hd_rng_next(rng);
	char text[64], digits[32], name[64];

	make_text(rng, text, sizeof(text));
	if (v && key)
		assert_string_equal(v->key, key);
	switch (kind) {
	case 0:
		if (out)
			hd_json_uint(out, key, number);
		snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number);
		if (v)
			assert_string_equal(v->text, digits);
		return;
	case 1:
		if (out)
			hd_json_bool(out, key, number & 1);
		if (v)
			assert_int_equal(v->yes, number & 1);
		return;
	case 2:
		if (out)
			hd_json_null(out, key);
		if (v)
			assert_int_equal(v->kind, HD_JSON_NULL);
		return;
	case 3:
		if (out)
			hd_json_str(out, key, text);
		if (v)
			assert_string_equal(v->text, text);
		return;
	default:
		break;
	}
	if (out)
		hd_json_open(out, key, kind == 4 ? '[' : '{');
	v = v ? v->first : NULL;
	for (unsigned i = 0, n = number % 4; i < n; i++) {
		make_text(rng, name, sizeof(name));
		if (!out)
			assert_non_null(v);
		random_value(rng, out, v, kind == 4 ? NULL : name, depth - 1);
		v = v ? v->next : NULL;
	}
	if (!out)
		assert_null(v);
	if (out)
		hd_json_close(out, kind == 4 ? ']' : '}');
}

static void what_was_written_comes_back(void **state)
{
	for (uint64_t seed = 1; seed <= 20000; seed++) {
		struct hd_rng rng;
		struct hd_json out;
		struct hd_json_doc *doc;
		struct hd_errbuf eb = { 0 };
		char *text = NULL;
		size_t len = 0;
		FILE *file = open_memstream(&text, &len);

		hd_rng_seed(&rng, seed);
		hd_json_init(&out, file);
		random_value(&rng, &out, NULL, NULL, 4);
		fclose(file);
		if (hd_json_parse(&doc, text, len, "x", &eb) != HD_OK)
			fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, eb.text, text);
		hd_rng_seed(&rng, seed);
		random_value(&rng, NULL, hd_json_root(doc), NULL, 4);
		hd_json_free(doc);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_read),
		cmocka_unit_test(escapes_are_undone),
		cmocka_unit_test(what_is_no_json_is_refused),
		cmocka_unit_test(what_was_written_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
