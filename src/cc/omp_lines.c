#include "omp_lines.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* Bytes beyond ASCII are parts of names. */
static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* After the string or character that begins at @p; it ends with its line, whatever it lacks. */
static const char *skip_quoted(const char *p, const char *end)
{
	char quote = *p++;

	while (p < end && *p != quote && *p != '\n')
		p += *p == '\\' && p + 1 < end ? 2 : 1;
	return p < end && *p == quote ? p + 1 : p;
}

#define DELIMITER_MAX 16

/* After the raw string whose quote is at @p; if it is none, after the quote. */
static const char *skip_raw(const char *p, const char *end)
{
	const char *delimiter = p + 1, *q = delimiter;
	size_t n;

	while (q < end && q - delimiter <= DELIMITER_MAX && *q != '(' && *q != '"' && *q != '\n')
		q++;
	if (q == end || *q != '(' || q - delimiter > DELIMITER_MAX)
		return skip_quoted(p, end);
	n = (size_t)(q - delimiter);
	for (q++; (q = memchr(q, ')', (size_t)(end - q))); q++) {
		if ((size_t)(end - q) >= n + 2 && !memcmp(q + 1, delimiter, n) && q[n + 1] == '"')
			return q + n + 2;
	}
	return end;
}

/* After the name, or the number with its digit separators, that begins at @p; of a raw string after all of it. */
static const char *skip_name(const char *p, const char *end)
{
	static const char *const raw[] = { "R", "LR", "uR", "UR", "u8R", NULL };
	bool number = isdigit((unsigned char)*p);
	const char *q = p;

	while (q < end && (in_name(*q) || (number && *q == '\'' && q + 1 < end && in_name(q[1]))))
		q++;
	for (int i = 0; q < end && *q == '"' && raw[i]; i++) {
		if ((size_t)(q - p) == strlen(raw[i]) && !memcmp(p, raw[i], (size_t)(q - p)))
			return skip_raw(q, end);
	}
	return q;
}

/* After the comment that begins at @p; @p: there is none. One to the end of the line leaves the newline. */
static const char *skip_comment(const char *p, const char *end)
{
	const char *q = p;

	if (end - p < 2 || *p != '/' || (p[1] != '/' && p[1] != '*'))
		return p;
	if (p[1] == '/') {
		q = memchr(p, '\n', (size_t)(end - p));
		return q ? q : end;
	}
	for (q = p + 2; (q = memchr(q, '*', (size_t)(end - q))); q++) {
		if (q + 1 < end && q[1] == '/')
			return q + 2;
	}
	return end;
}

/* After one token, or whatever it is, at @p. */
static const char *skip(const char *p, const char *end)
{
	const char *q = skip_comment(p, end);

	if (q != p)
		return q;
	if (*p == '"' || *p == '\'')
		return skip_quoted(p, end);
	return in_name(*p) ? skip_name(p, end) : p + 1;
}

const char *hd_omp_line_end(const char *line, const char *end)
{
	const char *p = line, *newline;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (p < end && *p == '#') { /* a directive has nothing that goes on */
		newline = memchr(p, '\n', (size_t)(end - p));
		return newline ? newline : end;
	}
	while (line < end && *line != '\n')
		line = skip(line, end);
	return line;
}

static bool is_about_falling(const char *p, const char *end)
{
	for (; end - p >= 4; p++) {
		if (!strncasecmp(p, "fall", 4))
			return true;
	}
	return false;
}

void hd_omp_blank_comments(char *text, size_t len)
{
	const char *end = text + len;

	for (const char *p = text, *next; p < end; p = next) {
		bool comment = skip_comment(p, end) != p;

		next = skip(p, end);
		if (!comment || is_about_falling(p, next))
			continue;
		for (char *c = text + (p - text); c < next; c++) {
			if (*c != '\n')
				*c = ' ';
		}
	}
}
