/*
 * A source with OpenMP pragmas: whatever becomes of them, lines stay where they are, and nothing but
 * pragmas changes.
 */
#include "fuzz_common.h"

#include "cc/omp_lines.h"
#include "cc/omp_pragmas.h"

static bool is_pragma(const char *line, size_t n)
{
	while (n && (*line == ' ' || *line == '\t'))
		line++, n--;
	return n && *line == '#' && memmem(line, n, "pragma", 6) && memmem(line, n, "omp", 3);
}

static void compare(const char *a, size_t alen, const char *b, size_t blen)
{
	while (alen || blen) {
		const char *anext = alen ? memchr(a, '\n', alen) : NULL;
		const char *bnext = blen ? memchr(b, '\n', blen) : NULL;
		size_t n = anext ? (size_t)(anext - a) : alen,
		       m = bnext ? (size_t)(bnext - b) : blen;

		if (!anext != !bnext || (!is_pragma(a, n) && (n != m || memcmp(a, b, n))))
			abort();
		n += anext != NULL;
		m += bnext != NULL;
		a += n;
		alen -= n;
		b += m;
		blen -= m;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	if (size) /* a fuzzer may have no data for nothing */
		memcpy(text, data, size);
	for (int guess = 0; guess < 2; guess++) {
		struct hd_omp_rewritten r = hd_omp_rewrite(text, size, guess);

		if (r.text)
			compare(text, size, r.text, r.len);
		free(r.text);
	}
	hd_omp_blank_comments(text, size);
	for (size_t i = 0; i < size; i++) {
		if ((text[i] == '\n') != (data[i] == '\n'))
			abort();
	}
	free(text);
	return 0;
}
