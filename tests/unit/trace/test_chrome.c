/*
 * Chrome's JSON: the document is the expected one, and closed even after damage.
 */
#include "trace_fixture.h"

#include "trace/trace_chrome.h"

static char *chrome(const uint8_t *bytes, size_t len, enum hd_err want)
{
	struct hd_errbuf eb;
	struct hd_trace *t;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(hd_trace_open_mem(&t, bytes, len, &eb), HD_OK);
	assert_int_equal(hd_chrome_export(t, out, NULL, &eb), want);
	fclose(out);
	hd_trace_close(t);
	return text;
}

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;

	while ((text = strstr(text, what)) != NULL) {
		n++;
		text++;
	}
	return n;
}

static void tracks(void **state)
{
	const struct hd_event ev[] = {
		{ .op = HD_OP_ACQUIRE, .addr = 0x10, .thread = 1 },
		{ .op = HD_OP_READ, .addr = 0x20, .size = 4, .value = 3, .thread = 1 },
		{ .op = HD_OP_BEGIN, .thread = 2 },
		{ .op = HD_OP_END, .thread = 2 },
		{ .op = HD_OP_RELEASE, .addr = 0x10, .thread = 1 },
	};
	size_t len;
	uint8_t *bytes = trace_of(ev, 5, &len);
	char *text = chrome(bytes, len, HD_OK);

	assert_int_equal(count(text, "\"thread_name\""), 2);
	assert_int_equal(count(text, "\"runs\""), 3); /* T1, T2, T1 */
	assert_int_equal(count(text, "\"ph\": \"b\""), 2);
	assert_int_equal(count(text, "\"ph\": \"e\""), 2);
	assert_int_equal(count(text, "\"m_10\""), 2);
	assert_int_equal(count(text, "\"location\": \"x_20\""), 1);
	assert_int_equal(count(text, "\"ph\": \"i\""), 1);
	free(text);
	text = chrome(bytes, len - 1, HD_ERR_TRUNCATED);
	assert_string_equal(text + strlen(text) - 2, "}\n");
	free(text);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(tracks) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
