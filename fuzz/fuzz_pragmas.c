/*
 * A source with OpenMP pragmas: whatever becomes of them, lines stay where they are, and nothing but
 * pragmas and the names of tests of locks that nobody heeds changes.
 */
#include "fuzz_common.h"

#include "cc/omp_lines.h"
#include "cc/omp_pragmas.h"
#include "cc/omp_tests.h"

static bool is_pragma(const char *line, size_t n)
{
	while (n && (*line == ' ' || *line == '\t'))
		line++, n--;
	return n && *line == '#' && memmem(line, n, "pragma", 6) && memmem(line, n, "omp", 3);
}

/* Is @b the line @a, but for such names? */
static bool is_same_code(const char *a, size_t n, const char *b, size_t m)
{
	const size_t more = strlen(HD_OMP_UNHEEDED);

	while (n && m) {
		if (m > more && !memcmp(b, HD_OMP_UNHEEDED "o", more + 1) &&
		    (n <= more || memcmp(a, b, more) != 0)) {
			b += more;
			m -= more;
		}
		if (*a++ != *b++)
			return false;
		n--, m--;
	}
	return n == m;
}

static void compare(const char *a, size_t alen, const char *b, size_t blen)
{
	while (alen || blen) {
		const char *anext = alen ? memchr(a, '\n', alen) : NULL;
		const char *bnext = blen ? memchr(b, '\n', blen) : NULL;
		size_t n = anext ? (size_t)(anext - a) : alen,
		       m = bnext ? (size_t)(bnext - b) : blen;

		if (!anext != !bnext || (!is_pragma(a, n) && !is_same_code(a, n, b, m)))
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
