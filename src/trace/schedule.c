#include "schedule.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schedule_text.h"
#include "trace_import.h"
#include "trace_maps.h"
#include "trace_reader.h"

#define FIRST_LINE "heddle-schedule 1"

/* 2^28 decisions are 1 GiB: more is taken for a mistake in the file. */
#define CHOICES_MAX (1ull << 28)

struct loader {
	struct hd_schedule *s;
	size_t argv_room, keys_room, values_room, choices_room;
	const char *file;
	unsigned long line;
	struct hd_errbuf *eb;
};

static enum hd_err no_memory(struct loader *l)
{
	return hd_fail(l->eb, HD_ERR_NOMEM, "out of memory while reading %s", l->file);
}

static enum hd_err bad(struct loader *l, const char *what)
{
	return hd_fail(l->eb, HD_ERR_PARSE, "%s: line %lu: %s", l->file, l->line, what);
}

static enum hd_err add_choices(struct loader *l, uint32_t thread, uint64_t times)
{
	struct hd_schedule *s = l->s;

	if (times > CHOICES_MAX - s->nchoices)
		return hd_fail(l->eb, HD_ERR_LIMIT, "%s: more than %llu decisions", l->file,
			       (unsigned long long)CHOICES_MAX);
	for (; times; times--) {
		if (!hd_grow((void **)&s->choices, &l->choices_room, s->nchoices,
			     sizeof(*s->choices)))
			return no_memory(l);
		s->choices[s->nchoices++] = thread;
	}
	return HD_OK;
}

/* Takes @arg over. */
static enum hd_err add_arg(struct loader *l, char *arg)
{
	struct hd_schedule *s = l->s;

	if (!arg ||
	    !hd_grow((void **)&s->argv, &l->argv_room, (size_t)s->argc + 1, sizeof(*s->argv))) {
		free(arg);
		return no_memory(l);
	}
	s->argv[s->argc++] = arg;
	s->argv[s->argc] = NULL; /* as execv wants it */
	return HD_OK;
}

static enum hd_err add_option(struct loader *l, char *key, char *value)
{
	struct hd_schedule *s = l->s;

	if (!key || !value ||
	    !hd_grow((void **)&s->keys, &l->keys_room, s->nkeys, sizeof(*s->keys)) ||
	    !hd_grow((void **)&s->values, &l->values_room, s->nkeys, sizeof(*s->values))) {
		free(key);
		free(value);
		return no_memory(l);
	}
	s->keys[s->nkeys] = key;
	s->values[s->nkeys++] = value;
	return HD_OK;
}

/* --- text --- */

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/*
 * The next word of the line, or quoted text, as a string of its own; NULL: there is
 * none (then *@err is HD_OK) or it is bad.
 */
static char *next_word(struct loader *l, struct hd_token *rest, enum hd_err *err)
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
		*err = no_memory(l);
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
		*err = bad(l, "a quoted text does not end, or a byte is zero");
		return NULL;
	}
	p += quoted;
	*rest = (struct hd_token){ p, (size_t)(end - p) };
	return out;
}

static enum hd_err read_program(struct loader *l, struct hd_token rest)
{
	enum hd_err err;
	char *word;

	if (l->s->argc)
		return bad(l, "the program is given twice");
	while ((word = next_word(l, &rest, &err)) != NULL) {
		err = add_arg(l, word);
		if (err)
			return err;
	}
	if (!err && !l->s->argc)
		return bad(l, "there is no program");
	return err;
}

static enum hd_err nothing_more(struct loader *l, struct hd_token rest)
{
	enum hd_err err;
	char *word = next_word(l, &rest, &err);

	if (word) {
		free(word);
		return bad(l, "there is too much on the line");
	}
	return err;
}

static enum hd_err read_option(struct loader *l, struct hd_token rest)
{
	enum hd_err err;
	char *key = next_word(l, &rest, &err), *value;

	if (err)
		return err;
	value = key ? next_word(l, &rest, &err) : NULL;
	if (!value) {
		free(key);
		return err ? err : bad(l, "an option is a key and a value");
	}
	err = add_option(l, key, value);
	return err ? err : nothing_more(l, rest);
}

static enum hd_err read_time(struct loader *l, struct hd_token rest)
{
	enum hd_err err;
	char *word = next_word(l, &rest, &err);
	bool ok;

	if (err)
		return err;
	ok = word && hd_token_number((struct hd_token){ word, strlen(word) }, UINT64_MAX,
				     &l->s->start_time);
	free(word);
	return ok ? nothing_more(l, rest) : bad(l, "the start time is a number of seconds");
}

/* T1 or T1 x14 */
static enum hd_err read_choice(struct loader *l, const char *word, struct hd_token rest)
{
	uint64_t thread, times = 1;
	enum hd_err err;
	char *count;
	bool ok;

	if (word[0] != 'T' || (word[1] == '0' && word[2]) ||
	    !hd_token_number((struct hd_token){ word + 1, strlen(word + 1) }, UINT32_MAX, &thread))
		return bad(l, "a line is program, option, start-time, or a thread and how often");
	count = next_word(l, &rest, &err);
	if (err)
		return err;
	ok = !count || (count[0] == 'x' &&
			hd_token_number((struct hd_token){ count + 1, strlen(count + 1) },
					UINT32_MAX, &times) &&
			times);
	free(count);
	if (!ok)
		return bad(l, "how often is x and a number from 1");
	err = add_choices(l, (uint32_t)thread, times);
	return err ? err : nothing_more(l, rest);
}

static enum hd_err read_line(struct loader *l, struct hd_token text)
{
	struct hd_token rest = text;
	enum hd_err err;
	char *word = next_word(l, &rest, &err);

	if (!word)
		return err;
	if (!strcmp(word, "program"))
		err = read_program(l, rest);
	else if (!strcmp(word, "option"))
		err = read_option(l, rest);
	else if (!strcmp(word, "start-time"))
		err = read_time(l, rest);
	else
		err = read_choice(l, word, rest);
	free(word);
	return err;
}

static enum hd_err check_first_line(struct loader *l, struct hd_token line)
{
	static const char name[] = "heddle-schedule ";
	size_t n = sizeof(name) - 1;

	while (line.len && is_space(line.s[line.len - 1]))
		line.len--;
	if (hd_token_is(line, FIRST_LINE))
		return HD_OK;
	if (line.len > n && !memcmp(line.s, name, n))
		return hd_fail(
		    l->eb, HD_ERR_VERSION,
		    "%s: line 1: a schedule of version %.*s; this heddle reads version 1", l->file,
		    (int)(line.len - n < 16 ? line.len - n : 16), line.s + n);
	return bad(l, "not a schedule: it does not start with '" FIRST_LINE "'");
}

enum hd_err hd_schedule_parse(struct hd_schedule *s, const char *text, size_t len, const char *file,
			      struct hd_errbuf *eb)
{
	struct loader l = { .s = s, .file = file, .line = 1, .eb = eb };
	const char *at = text, *end = text + len;
	struct hd_token line = { text, 0 };
	enum hd_err err;

	*s = (struct hd_schedule){ 0 };
	hd_import_line(&at, end, &line);
	err = check_first_line(&l, line);
	while (!err && hd_import_line(&at, end, &line)) {
		l.line++;
		err = read_line(&l, line);
	}
	if (err)
		hd_schedule_free(s);
	return err;
}

/* --- from a trace --- */

static enum hd_err take_meta(struct loader *l, const struct hd_trace *t)
{
	enum hd_err err = HD_OK;

	for (int i = 0; i < hd_trace_argc(t) && !err; i++)
		err = add_arg(l, strdup(hd_trace_argv(t, i)));
	for (size_t i = 0; i < hd_trace_noptions(t) && !err; i++) {
		const char *key, *value;

		hd_trace_option_at(t, i, &key, &value);
		err = add_option(l, strdup(key), strdup(value));
	}
	return err;
}

/* A run that was cut short still has a schedule up to there. */
static enum hd_err take_choices(struct loader *l, struct hd_trace *t)
{
	const struct hd_event *ev;
	enum hd_err err;
	size_t n;

	for (;;) {
		err = hd_trace_next(t, &ev, &n, l->eb);
		if (err == HD_ERR_TRUNCATED || (!err && !n))
			return HD_OK;
		if (err)
			return err;
		for (size_t i = 0; i < n && !err; i++) {
			if (ev[i].op == HD_OP_CHOICE)
				err = add_choices(l, (uint32_t)ev[i].value, 1);
		}
		if (err)
			return err;
	}
}

static enum hd_err load_trace(struct hd_schedule *s, const char *path, struct hd_errbuf *eb)
{
	struct loader l = { .s = s, .file = path, .eb = eb };
	struct hd_trace *t;
	int exited, code;
	enum hd_err err = hd_trace_open(&t, path, eb);

	if (err)
		return err;
	*s = (struct hd_schedule){ 0 };
	err = take_meta(&l, t);
	if (!err)
		err = take_choices(&l, t);
	hd_trace_ended(t, &exited, &code, &s->start_time);
	hd_trace_close(t);
	if (err)
		hd_schedule_free(s);
	return err;
}

/* --- files --- */

enum hd_err hd_file_read(const char *path, char **out, size_t *len, struct hd_errbuf *eb)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t room = 0, have = 0;
	char *text = NULL;
	ssize_t n = 1;

	if (fd < 0)
		return hd_fail(eb, HD_ERR_IO, "cannot open '%s': %s", path, strerror(errno));
	while (n > 0) {
		if (!hd_grow((void **)&text, &room, have, 1)) {
			errno = ENOMEM;
			n = -1;
			break;
		}
		n = read(fd, text + have, room - have);
		if (n > 0)
			have += (size_t)n;
		else if (n < 0 && errno == EINTR)
			n = 1;
	}
	if (n < 0) {
		hd_fail(eb, HD_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
		free(text);
		close(fd);
		return HD_ERR_IO;
	}
	close(fd);
	*out = text;
	*len = have;
	return HD_OK;
}

enum hd_err hd_schedule_load(struct hd_schedule *s, const char *path, struct hd_errbuf *eb)
{
	char head[6], *text;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	enum hd_err err;
	ssize_t n;
	size_t len;

	*s = (struct hd_schedule){ 0 };
	if (fd < 0)
		return hd_fail(eb, HD_ERR_IO, "cannot open '%s': %s", path, strerror(errno));
	n = pread(fd, head, sizeof(head), 0);
	close(fd);
	if (n == (ssize_t)sizeof(head) && !memcmp(head, "HEDDLE", sizeof(head)))
		return load_trace(s, path, eb);
	err = hd_file_read(path, &text, &len, eb);
	if (err)
		return err;
	err = hd_schedule_parse(s, text, len, path, eb);
	free(text);
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

static void put_word(FILE *out, const char *s)
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

static void put_schedule(FILE *out, const struct hd_schedule *s)
{
	size_t run;

	fputs(FIRST_LINE "\n", out);
	if (s->argc) {
		fputs("program", out);
		for (int i = 0; i < s->argc; i++)
			put_word(out, s->argv[i]);
		putc('\n', out);
	}
	for (size_t i = 0; i < s->nkeys; i++) {
		fputs("option", out);
		put_word(out, s->keys[i]);
		put_word(out, s->values[i]);
		putc('\n', out);
	}
	if (s->start_time)
		fprintf(out, "start-time %" PRIu64 "\n", s->start_time);
	for (size_t i = 0; i < s->nchoices; i += run) {
		for (run = 1; i + run < s->nchoices && s->choices[i + run] == s->choices[i];)
			run++;
		fprintf(out, "T%" PRIu32, s->choices[i]);
		if (run > 1)
			fprintf(out, " x%zu", run);
		putc('\n', out);
	}
}

enum hd_err hd_schedule_save(const struct hd_schedule *s, const char *path, struct hd_errbuf *eb)
{
	FILE *out = fopen(path, "we");
	bool failed;

	if (!out)
		return hd_fail(eb, HD_ERR_IO, "cannot create '%s': %s", path, strerror(errno));
	put_schedule(out, s);
	failed = ferror(out) != 0;
	if (fclose(out) != 0 || failed)
		return hd_fail(eb, errno == ENOSPC ? HD_ERR_FULL : HD_ERR_IO,
			       "cannot write '%s': %s", path, strerror(errno));
	return HD_OK;
}

const char *hd_schedule_option(const struct hd_schedule *s, const char *key)
{
	for (size_t i = 0; i < s->nkeys; i++) {
		if (!strcmp(s->keys[i], key))
			return s->values[i];
	}
	return NULL;
}

void hd_schedule_free(struct hd_schedule *s)
{
	for (int i = 0; i < s->argc; i++)
		free(s->argv[i]);
	for (size_t i = 0; i < s->nkeys; i++) {
		free(s->keys[i]);
		free(s->values[i]);
	}
	free(s->argv);
	free(s->keys);
	free(s->values);
	free(s->choices);
	*s = (struct hd_schedule){ 0 };
}
