/*
 * A file of suppressions: it is read or refused with its line, the same each time; and its lines as
 * patterns match as a slow and obvious matcher says.
 */
#include "fuzz_common.h"

#include "report/suppressions.h"

/* @pattern up to @end at the start of @text. */
static bool matches_from(const char *pattern, const char *end, const char *text, bool whole)
{
	if (pattern == end)
		return !whole || !*text;
	if (*pattern == '*')
		return matches_from(pattern + 1, end, text, whole) ||
		       (*text && matches_from(pattern, end, text + 1, whole));
	return *text == *pattern && *text && matches_from(pattern + 1, end, text + 1, whole);
}

static bool matches(const char *pattern, const char *text)
{
	size_t len = strlen(pattern);
	bool start = *pattern == '^', whole = len > start && pattern[len - 1] == '$';
	const char *end = pattern + len - whole;

	for (;; text++) {
		if (matches_from(pattern + start, end, text, whole))
			return true;
		if (start || !*text)
			return false;
	}
}

/* What is before a zero byte is the pattern, what is after it the text. */
static void check_pattern(const char *data, size_t size)
{
	char pattern[13] = "", text[13] = "";
	const char *zero = memchr(data, 0, size);
	size_t len = zero ? (size_t)(zero - data) : size, rest = zero ? size - len - 1 : 0;

	/* Short ones: the slow matcher takes time beyond all bounds for many stars. */
	memcpy(pattern, data, len < sizeof(pattern) ? len : sizeof(pattern) - 1);
	if (rest)
		memcpy(text, zero + 1, rest < sizeof(text) ? rest : sizeof(text) - 1);
	if (hd_pattern_matches(pattern, text) != matches(pattern, text))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_suppressions *once, *twice;
	struct hd_errbuf a = { 0 }, b = { 0 };
	enum hd_err err = hd_suppressions_parse(&once, (const char *)data, size, "fuzz", &a);
	const char *x, *y;

	if (hd_suppressions_parse(&twice, (const char *)data, size, "fuzz", &b) != err ||
	    strcmp(a.text, b.text) != 0 || (err && (once || !strstr(a.text, "line "))))
		abort();
	for (size_t i = 0; !err; i++) { /* none was used yet */
		x = hd_suppressions_unused(once, i);
		y = hd_suppressions_unused(twice, i);
		if (!x != !y || (x && strcmp(x, y) != 0))
			abort();
		if (!x)
			break;
		check_pattern(strchr(x, ':') + 1, strlen(strchr(x, ':') + 1));
	}
	hd_suppressions_free(once);
	hd_suppressions_free(twice);
	check_pattern((const char *)data, size);
	return 0;
}
