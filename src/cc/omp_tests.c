#include "omp_tests.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

const char *hd_omp_code_before(const char *text, const char *p)
{
	for (;;) {
		const char *line;

		while (p > text && isspace((unsigned char)p[-1]))
			p--;
		line = p;
		while (line > text && line[-1] != '\n')
			line--;
		while (line < p && isspace((unsigned char)*line))
			line++;
		if (line == p || *line != '#')
			return p;
		p = line;
	}
}

static bool ends_with(const char *text, const char *p, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(p - text) >= n && !memcmp(p - n, word, n);
}

/* Is the semicolon at @p one of a loop's header? */
static bool is_in_brackets(const char *text, const char *p)
{
	int depth = 0;

	for (; p > text && p[-1] != '{' && p[-1] != '}'; p--) {
		depth += (p[-1] == ')') - (p[-1] == '(');
		if (depth < 0)
			return true;
	}
	return false;
}

static bool is_in_directive(const char *text, const char *p)
{
	while (p > text && p[-1] != '\n')
		p--;
	while (isspace((unsigned char)*p))
		p++;
	return *p == '#';
}

static bool begins_statement(const char *text, const char *p)
{
	if (is_in_directive(text, p))
		return false;
	p = hd_omp_code_before(text, p);
	if (ends_with(text, p, "(void)"))
		p = hd_omp_code_before(text, p - strlen("(void)"));
	if (p == text || !strchr(";{}", p[-1]))
		return false;
	return p[-1] != ';' || !is_in_brackets(text, p - 1);
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && isspace((unsigned char)*p))
		p++;
	return p;
}

/* From the opening bracket at @p: a semicolon follows the closing one, and it is not the value of a block. */
static bool ends_statement(const char *p, const char *end)
{
	int depth = 0;

	for (; p < end && *p != '"' && *p != '\''; p++) {
		depth += (*p == '(') - (*p == ')');
		if (!depth)
			break;
	}
	if (p == end || *p != ')')
		return false;
	p = skip_blanks(p + 1, end);
	if (p == end || *p != ';')
		return false;
	p = skip_blanks(p + 1, end);
	return p == end || *p != '}' || (p = skip_blanks(p + 1, end)) == end || *p != ')';
}

const char *hd_omp_unheeded_test(const char *text, const char *p, const char *stop, const char *end)
{
	static const char *const names[] = { "omp_test_lock", "omp_test_nest_lock" };

	for (; p < stop && (p = memchr(p, 'o', (size_t)(stop - p))); p++) {
		for (int i = 0; i < 2; i++) {
			size_t n = strlen(names[i]);
			const char *bracket;

			if ((size_t)(stop - p) < n || memcmp(p, names[i], n))
				continue;
			bracket = skip_blanks(p + n, end);
			if (bracket < end && *bracket == '(' && begins_statement(text, p) &&
			    ends_statement(bracket, end))
				return p;
		}
	}
	return NULL;
}
