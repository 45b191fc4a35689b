#include "run_lines.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/map.h"

enum hd_err hd_run_no_memory(struct hd_run_lines *l)
{
	return hd_fail(l->eb, HD_ERR_NOMEM, "out of memory while reading %s", l->file);
}

enum hd_err hd_run_bad(struct hd_run_lines *l, const char *what)
{
	return hd_fail(l->eb, HD_ERR_PARSE, "%s: line %lu: %s", l->file, l->line, what);
}

/* Takes @arg over. */
static enum hd_err add_arg(struct hd_run_lines *l, char *arg)
{
	struct hd_schedule *s = l->s;

	if (!arg || !HD_ROOM(s->argv, l->argv_room, (size_t)s->argc + 2)) {
		free(arg);
		return hd_run_no_memory(l);
	}
	s->argv[s->argc++] = arg;
	s->argv[s->argc] = NULL; /* as execv wants it */
	return HD_OK;
}

enum hd_err hd_run_option(struct hd_run_lines *l, char *key, char *value)
{
	struct hd_schedule *s = l->s;

	if (!key || !value || !HD_ROOM(s->keys, l->keys_room, s->nkeys + 1) ||
	    !HD_ROOM(s->values, l->values_room, s->nkeys + 1)) {
		free(key);
		free(value);
		return hd_run_no_memory(l);
	}
	s->keys[s->nkeys] = key;
	s->values[s->nkeys++] = value;
	return HD_OK;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

char *hd_run_word(struct hd_run_lines *l, struct hd_token *rest, enum hd_err *err)
{
	const char *p = rest->s, *end = p + rest->len;
	bool quoted;
	char *out, *o;

	*err = HD_OK;
	while (p < end && is_space(*p))
		p++;
	if (p == end || *p == '#')
		return NULL;
	out = o = malloc((size_t)(end - p) + 1);
	if (!out) {
		*err = hd_run_no_memory(l);
		return NULL;
	}
	quoted = *p == '"';
	p += quoted;
	while (p < end && (quoted ? *p != '"' : !is_space(*p) && *p != '#')) {
		if (quoted && *p == '\\' && ++p < end && *p == 'n') {
			*o++ = '\n';
			p++;
		} else if (p < end) {
			*o++ = *p++;
		}
	}
	*o = 0;
	if ((quoted && p == end) || memchr(out, 0, (size_t)(o - out))) {
		free(out);
		*err = hd_run_bad(l, "a quoted text does not end, or a byte is zero");
		return NULL;
	}
	p += quoted;
	*rest = (struct hd_token){ p, (size_t)(end - p) };
	return out;
}

static enum hd_err read_program(struct hd_run_lines *l, struct hd_token rest)
{
	enum hd_err err;
	char *word;

	if (l->s->argc)
		return hd_run_bad(l, "the program is given twice");
	while ((word = hd_run_word(l, &rest, &err)) != NULL) {
		err = add_arg(l, word);
		if (err)
			return err;
	}
	if (!err && !l->s->argc)
		return hd_run_bad(l, "there is no program");
	return err;
}

enum hd_err hd_run_nothing_more(struct hd_run_lines *l, struct hd_token rest)
{
	enum hd_err err;
	char *word = hd_run_word(l, &rest, &err);

	if (word) {
		free(word);
		return hd_run_bad(l, "there is too much on the line");
	}
	return err;
}

static enum hd_err read_option(struct hd_run_lines *l, struct hd_token rest)
{
	enum hd_err err;
	char *key = hd_run_word(l, &rest, &err), *value;

	if (err)
		return err;
	value = key ? hd_run_word(l, &rest, &err) : NULL;
	if (!value) {
		free(key);
		return err ? err : hd_run_bad(l, "an option is a key and a value");
	}
	err = hd_run_option(l, key, value);
	return err ? err : hd_run_nothing_more(l, rest);
}

static enum hd_err read_time(struct hd_run_lines *l, struct hd_token rest)
{
	enum hd_err err;
	char *word = hd_run_word(l, &rest, &err);
	bool ok;

	if (err)
		return err;
	ok = word && hd_token_number((struct hd_token){ word, strlen(word) }, UINT64_MAX,
				     &l->s->start_time);
	free(word);
	return ok ? hd_run_nothing_more(l, rest)
		  : hd_run_bad(l, "the start time is a number of seconds");
}

enum hd_err hd_run_first_line(struct hd_run_lines *l, struct hd_token line, const char *kind,
			      const char *what)
{
	size_t n = strlen(kind);

	while (line.len && is_space(line.s[line.len - 1]))
		line.len--;
	if (line.len == n + 2 && !memcmp(line.s, kind, n) && !memcmp(line.s + n, " 1", 2))
		return HD_OK;
	if (line.len > n + 1 && !memcmp(line.s, kind, n) && line.s[n] == ' ')
		return hd_fail(l->eb, HD_ERR_VERSION,
			       "%s: line 1: %s of version %.*s; this heddle reads version 1",
			       l->file, what, (int)(line.len - n - 1 < 16 ? line.len - n - 1 : 16),
			       line.s + n + 1);
	return hd_fail(l->eb, HD_ERR_PARSE, "%s: line 1: not %s: it does not start with '%s 1'",
		       l->file, what, kind);
}

enum hd_err hd_run_line(struct hd_run_lines *l, const char *word, struct hd_token rest, bool *taken)
{
	*taken = true;
	if (!strcmp(word, "program"))
		return read_program(l, rest);
	if (!strcmp(word, "option"))
		return read_option(l, rest);
	if (!strcmp(word, "start-time"))
		return read_time(l, rest);
	*taken = false;
	return HD_OK;
}

enum hd_err hd_run_from_trace(struct hd_run_lines *l, const struct hd_trace *t)
{
	enum hd_err err = HD_OK;

	for (int i = 0; i < hd_trace_argc(t) && !err; i++)
		err = add_arg(l, strdup(hd_trace_argv(t, i)));
	for (size_t i = 0; i < hd_trace_noptions(t) && !err; i++) {
		const char *key, *value;

		hd_trace_option_at(t, i, &key, &value);
		err = hd_run_option(l, strdup(key), strdup(value));
	}
	return err;
}

static bool is_plain(const char *s)
{
	if (!*s)
		return false;
	for (; *s; s++) {
		if (isspace((unsigned char)*s) || *s == '"' || *s == '#' || *s == '\\')
			return false;
	}
	return true;
}

void hd_run_put_word(FILE *out, const char *s)
{
	if (is_plain(s)) {
		fprintf(out, " %s", s);
		return;
	}
	fputs(" \"", out);
	for (; *s; s++) {
		if (*s == '\n')
			fputs("\\n", out);
		else if (*s == '"' || *s == '\\')
			fprintf(out, "\\%c", *s);
		else
			putc(*s, out);
	}
	putc('"', out);
}

void hd_run_put(FILE *out, const struct hd_schedule *s)
{
	if (s->argc) {
		fputs("program", out);
		for (int i = 0; i < s->argc; i++)
			hd_run_put_word(out, s->argv[i]);
		putc('\n', out);
	}
	for (size_t i = 0; i < s->nkeys; i++) {
		fputs("option", out);
		hd_run_put_word(out, s->keys[i]);
		hd_run_put_word(out, s->values[i]);
		putc('\n', out);
	}
	if (s->start_time)
		fprintf(out, "start-time %" PRIu64 "\n", s->start_time);
}
