#include "schedule.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/map.h"
#include "run_lines.h"
#include "common/whole_file.h"
#include "schedule_text.h"

#define KIND "heddle-schedule"

/* 2^28 decisions are 1 GiB: more is taken for a mistake in the file. */
#define CHOICES_MAX (1ull << 28)

static enum hd_err add_choices(struct hd_run_lines *l, uint32_t thread, uint64_t times)
{
	struct hd_schedule *s = l->s;

	if (times > CHOICES_MAX - s->nchoices)
		return hd_fail(l->eb, HD_ERR_LIMIT, "%s: more than %llu decisions", l->file,
			       (unsigned long long)CHOICES_MAX);
	if (!HD_ROOM(s->choices, l->choices_room, s->nchoices + times))
		return hd_run_no_memory(l);
	for (; times; times--)
		s->choices[s->nchoices++] = thread;
	return HD_OK;
}

/* --- text --- */

/* T1 or T1 x14 */
static enum hd_err read_choice(struct hd_run_lines *l, const char *word, struct hd_token rest)
{
	uint64_t thread, times = 1;
	enum hd_err err;
	char *count;
	bool ok;

	if (word[0] != 'T' || (word[1] == '0' && word[2]) ||
	    !hd_token_number((struct hd_token){ word + 1, strlen(word + 1) }, UINT32_MAX, &thread))
		return hd_run_bad(
			l, "a line is program, option, start-time, or a thread and how often");
	count = hd_run_word(l, &rest, &err);
	if (err)
		return err;
	ok = !count || (count[0] == 'x' &&
			hd_token_number((struct hd_token){ count + 1, strlen(count + 1) },
					UINT32_MAX, &times) &&
			times);
	free(count);
	if (!ok)
		return hd_run_bad(l, "how often is x and a number from 1");
	err = add_choices(l, (uint32_t)thread, times);
	return err ? err : hd_run_nothing_more(l, rest);
}

static enum hd_err read_line(struct hd_run_lines *l, struct hd_token text)
{
	struct hd_token rest = text;
	enum hd_err err;
	char *word = hd_run_word(l, &rest, &err);
	bool taken;

	if (!word)
		return err;
	err = hd_run_line(l, word, rest, &taken);
	if (!taken)
		err = read_choice(l, word, rest);
	free(word);
	return err;
}

enum hd_err hd_schedule_parse(struct hd_schedule *s, const char *text, size_t len, const char *file,
			      struct hd_errbuf *eb)
{
	struct hd_run_lines l = { .s = s, .file = file, .line = 1, .eb = eb };
	const char *at = text, *end = text + len;
	struct hd_token line = { text, 0 };
	enum hd_err err;

	*s = (struct hd_schedule){ 0 };
	hd_import_line(&at, end, &line);
	err = hd_run_first_line(&l, line, KIND, "a schedule");
	while (!err && hd_import_line(&at, end, &line)) {
		l.line++;
		err = read_line(&l, line);
	}
	if (err)
		hd_schedule_free(s);
	return err;
}

/* --- from a trace --- */

/* Whoever followed a plan may not have said so among the options. */
static enum hd_err note_kind(struct hd_run_lines *l, const struct hd_event *choice)
{
	if (!(choice->arg & HD_CHOICE_WIDE) || hd_schedule_option(l->s, "wide"))
		return HD_OK;
	return hd_run_option(l, strdup("wide"), strdup("1"));
}

/* A run that was cut short still has a schedule up to there. */
static enum hd_err take_choices(struct hd_run_lines *l, struct hd_trace *t)
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
			if (ev[i].op != HD_OP_CHOICE)
				continue;
			err = l->s->nchoices ? HD_OK : note_kind(l, &ev[i]);
			if (!err)
				err = add_choices(l, (uint32_t)ev[i].value, 1);
		}
		if (err)
			return err;
	}
}

static enum hd_err load_trace(struct hd_schedule *s, const char *path, struct hd_errbuf *eb)
{
	struct hd_run_lines l = { .s = s, .file = path, .eb = eb };
	struct hd_trace *t;
	int exited, code;
	enum hd_err err = hd_trace_open(&t, path, eb);

	if (err)
		return err;
	*s = (struct hd_schedule){ 0 };
	err = hd_run_from_trace(&l, t);
	if (!err)
		err = take_choices(&l, t);
	hd_trace_ended(t, &exited, &code, &s->start_time);
	hd_trace_close(t);
	if (err)
		hd_schedule_free(s);
	return err;
}

/* --- files --- */

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
	err = hd_read_whole(path, 0, &text, &len, eb);
	if (err)
		return err;
	err = hd_schedule_parse(s, text, len, path, eb);
	free(text);
	return err;
}

static void put_schedule(FILE *out, const struct hd_schedule *s)
{
	size_t run;

	fputs(KIND " 1\n", out);
	hd_run_put(out, s);
	for (size_t i = 0; i < s->nchoices; i += run) {
		for (run = 1; i + run < s->nchoices && s->choices[i + run] == s->choices[i];)
			run++;
		fprintf(out, "T%" PRIu32, s->choices[i]);
		if (run > 1)
			fprintf(out, " x%zu", run);
		putc('\n', out);
	}
}

char *hd_schedule_text(const struct hd_schedule *s)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	put_schedule(out, s);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
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
