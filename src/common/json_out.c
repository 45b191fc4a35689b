#include "json_out.h"

#include <inttypes.h>
#include <string.h>

void hd_json_init(struct hd_json *j, FILE *out)
{
	*j = (struct hd_json){ .out = out, .first = true };
}

/* Length of the valid UTF-8 sequence at @s, 0 if there is none. */
static size_t utf8_len(const unsigned char *s)
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
	if (n > 1 && (code < smallest[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)))
		return 0;
	return n;
}

static void put_string(FILE *out, const char *str)
{
	const unsigned char *s = (const unsigned char *)str;

	putc('"', out);
	while (*s) {
		size_t n = utf8_len(s);

		if (n == 0) {
			fputs("\\ufffd", out);
			n = 1;
		} else if (*s == '"' || *s == '\\') {
			fprintf(out, "\\%c", *s);
		} else if (*s == '\n' || *s == '\t') {
			fputs(*s == '\n' ? "\\n" : "\\t", out);
		} else if (*s < 0x20 || *s == 0x7f) {
			fprintf(out, "\\u%04x", *s);
		} else {
			fwrite(s, 1, n, out);
		}
		s += n;
	}
	putc('"', out);
}

static void lead(struct hd_json *j, const char *key)
{
	if (!j->first)
		putc(',', j->out);
	if (j->depth)
		fprintf(j->out, "\n%*s", (int)j->depth * 2, "");
	j->first = false;
	if (key) {
		put_string(j->out, key);
		fputs(": ", j->out);
	}
}

void hd_json_open(struct hd_json *j, const char *key, char bracket)
{
	lead(j, key);
	putc(bracket, j->out);
	j->depth++;
	j->first = true;
}

void hd_json_close(struct hd_json *j, char bracket)
{
	j->depth--;
	if (!j->first)
		fprintf(j->out, "\n%*s", (int)j->depth * 2, "");
	putc(bracket, j->out);
	j->first = false;
	if (j->depth == 0)
		putc('\n', j->out);
}

void hd_json_str(struct hd_json *j, const char *key, const char *s)
{
	lead(j, key);
	if (s)
		put_string(j->out, s);
	else
		fputs("null", j->out);
}

void hd_json_int(struct hd_json *j, const char *key, int64_t v)
{
	lead(j, key);
	fprintf(j->out, "%" PRId64, v);
}

void hd_json_uint(struct hd_json *j, const char *key, uint64_t v)
{
	lead(j, key);
	fprintf(j->out, "%" PRIu64, v);
}

void hd_json_real(struct hd_json *j, const char *key, double v)
{
	lead(j, key);
	fprintf(j->out, "%.6f", v);
}

void hd_json_bool(struct hd_json *j, const char *key, bool v)
{
	lead(j, key);
	fputs(v ? "true" : "false", j->out);
}

void hd_json_null(struct hd_json *j, const char *key)
{
	lead(j, key);
	fputs("null", j->out);
}
