#include "printable.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Shows nothing itself, but changes in which order or line others are shown. */
static bool directs_others(uint32_t code)
{
	return code == 0x61c || code == 0x200e || code == 0x200f ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/*
 * Length of the UTF-8 sequence at @s if it is well formed and shows something:
 * 0 for control characters (C1 ones too, which terminals obey).
 */
static size_t shown_len(const unsigned char *s)
{
	static const uint32_t smallest[5] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = s[0] < 0x80	     ? 1
		   : s[0] >> 5 == 6  ? 2
		   : s[0] >> 4 == 14 ? 3
		   : s[0] >> 3 == 30 ? 4
				     : 0;
	uint32_t code = n < 2 ? s[0] : s[0] & (0xffu >> (n + 1));

	for (size_t i = 1; i < n; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code > 0x10ffff ||
	    (code >= 0xd800 && code < 0xe000) || (n > 1 && code < smallest[n]) ||
	    directs_others(code))
		return 0;
	return n;
}

static void put_shown(FILE *out, const char *s, const char *also)
{
	for (const unsigned char *p = (const unsigned char *)s; p && *p;) {
		size_t n = strchr(also, *p) ? 1 : shown_len(p);

		if (n) {
			fwrite(p, 1, n, out);
			p += n;
		} else {
			fprintf(out, "\\x%02x", *p++);
		}
	}
}

void hd_put_printable(FILE *out, const char *s)
{
	put_shown(out, s, "");
}

void hd_put_printable_text(FILE *out, const char *s)
{
	put_shown(out, s, "\n\t");
}

static bool all_shown(const char *s)
{
	for (const unsigned char *p = (const unsigned char *)s; *p;) {
		size_t n = shown_len(p);

		if (!n)
			return false;
		p += n;
	}
	return true;
}

void hd_put_quoted(FILE *out, const char *name)
{
	putc('\'', out);
	hd_put_printable(out, name);
	putc('\'', out);
}

/* $'...': the only form in which a control character can be written visibly. */
static void put_dollar_quoted(FILE *out, const char *s)
{
	fputs("$'", out);
	for (const unsigned char *p = (const unsigned char *)s; *p; p++) {
		if (*p == '\'' || *p == '\\')
			fprintf(out, "\\%c", *p);
		else if (*p < 0x20 || *p >= 0x7f)
			fprintf(out, "\\%03o", *p); /* octal: ends after three digits */
		else
			putc(*p, out);
	}
	putc('\'', out);
}

void hd_put_shell_word(FILE *out, const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./,:=+@%";

	if (!all_shown(s)) {
		put_dollar_quoted(out, s);
		return;
	}
	if (*s && strspn(s, plain) == strlen(s)) {
		fputs(s, out);
		return;
	}
	putc('\'', out);
	for (; *s; s++) {
		if (*s == '\'')
			fputs("'\\''", out);
		else
			putc(*s, out);
	}
	putc('\'', out);
}
