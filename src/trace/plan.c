#include "plan.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "run_lines.h"
#include "common/whole_file.h"

#define KIND "heddle-plan"

/* 2^27 entries are 7 GiB: more is taken for a mistake. */
#define ENTRIES_MAX (1ull << 27)

static const struct {
	const char *word;
	uint16_t flag;
} flags[] = { { "free", HD_PLAN_FREE }, { "goal", HD_PLAN_GOAL }, { "next", HD_PLAN_NEXT } };
#define NFLAGS (sizeof(flags) / sizeof(flags[0]))

static enum hd_err append(struct hd_plan *p, const struct hd_plan_entry *e, struct hd_errbuf *eb)
{
	if (p->n == ENTRIES_MAX)
		return hd_fail(eb, HD_ERR_LIMIT, "a plan has at most %llu events",
			       (unsigned long long)ENTRIES_MAX);
	if (!HD_ROOM(p->entries, p->room, p->n + 1))
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory for a plan of %zu events", p->n);
	p->entries[p->n++] = *e;
	return HD_OK;
}

enum hd_err hd_plan_add(struct hd_plan *p, const struct hd_event *ev, uint64_t index,
			uint16_t entry_flags, struct hd_errbuf *eb)
{
	struct hd_plan_entry e = { .thread = ev->thread,
				   .op = ev->op,
				   .flags = entry_flags,
				   .size = ev->size,
				   .arg = ev->arg,
				   .pc = ev->pc,
				   .addr = ev->addr,
				   .value = ev->value,
				   .value2 = ev->value2,
				   .index = index };

	return append(p, &e, eb);
}

void hd_plan_free(struct hd_plan *p)
{
	hd_schedule_free(&p->run);
	free(p->build_id);
	free(p->goal);
	free(p->after);
	free(p->entries);
	*p = (struct hd_plan){ 0 };
}

/* --- from a trace --- */

/* The first module is the program itself. */
static enum hd_err take_build_id(struct hd_plan *p, struct hd_trace *t, struct hd_errbuf *eb)
{
	const struct hd_event *ev;
	uint64_t base = 0;
	bool found = false;
	const char *id = NULL;
	size_t n;

	hd_trace_rewind(t);
	/* Damage is the business of whoever reads the events. */
	while (!id && hd_trace_next(t, &ev, &n, NULL) == HD_OK && n) {
		for (size_t i = 0; i < n && !found; i++) {
			found = ev[i].op == HD_OP_MODULE;
			base = ev[i].addr;
		}
		id = found ? hd_trace_build_id(t, base) : NULL;
	}
	if (!id)
		return HD_OK;
	p->build_id = strdup(id);
	return p->build_id ? HD_OK : hd_fail(eb, HD_ERR_NOMEM, "out of memory for a plan");
}

/* The end record, with the start time, is known after a whole pass. */
static void take_start_time(struct hd_plan *p, struct hd_trace *t)
{
	const struct hd_event *ev;
	int exited, code;
	size_t n;

	while (hd_trace_next(t, &ev, &n, NULL) == HD_OK && n)
		;
	if (!hd_trace_ended(t, &exited, &code, &p->run.start_time))
		p->run.start_time = 0;
	hd_trace_rewind(t);
}

enum hd_err hd_plan_init(struct hd_plan *p, struct hd_trace *t, struct hd_errbuf *eb)
{
	struct hd_run_lines l = { .s = &p->run, .file = "the trace", .eb = eb };
	enum hd_err err;

	*p = (struct hd_plan){ 0 };
	err = hd_run_from_trace(&l, t);
	if (!err)
		err = take_build_id(p, t, eb);
	if (err)
		hd_plan_free(p);
	else
		take_start_time(p, t);
	return err;
}

/* --- text in --- */

struct reading {
	struct hd_run_lines l;
	struct hd_plan *p;
};

static bool number(const char *word, uint64_t max, uint64_t *out)
{
	const char *p = word + 2;
	uint64_t v = 0;

	if (word[0] != '0' || word[1] != 'x')
		return hd_token_number((struct hd_token){ word, strlen(word) }, max, out);
	if (!*p || strlen(p) > 16)
		return false;
	for (; *p; p++) {
		const char *digit = strchr("0123456789abcdef", *p);

		if (!digit)
			return false;
		v = v << 4 | (uint64_t)(digit - "0123456789abcdef");
	}
	*out = v;
	return v <= max;
}

/* A text of which there is at most one. */
static enum hd_err read_text(struct reading *r, struct hd_token rest, char **out)
{
	enum hd_err err;
	char *word = hd_run_word(&r->l, &rest, &err);

	if (err)
		return err;
	if (!word || *out) {
		free(word);
		return hd_run_bad(&r->l, *out ? "this is given twice" : "there is a word missing");
	}
	*out = word;
	return hd_run_nothing_more(&r->l, rest);
}

static uint16_t op_of(const char *word)
{
	for (unsigned op = 1; op < HD_OP_LIMIT; op++) {
		if (hd_op_is_planned(op) && !strcmp(hd_op_info[op].name, word))
			return (uint16_t)op;
	}
	return 0;
}

/* Where a field of this name is, and how large its value may be; NULL: there is none. */
static uint64_t *field_of(const char *word, struct hd_plan_entry *e, uint64_t *size, uint64_t *arg,
			  uint64_t *max)
{
	*max = UINT64_MAX;
	if (!strcmp(word, "pc"))
		return &e->pc;
	if (!strcmp(word, "addr"))
		return &e->addr;
	if (!strcmp(word, "value"))
		return &e->value;
	if (!strcmp(word, "value2"))
		return &e->value2;
	*max = UINT32_MAX;
	if (!strcmp(word, "size"))
		return size;
	return !strcmp(word, "arg") ? arg : NULL;
}

static enum hd_err read_field(struct reading *r, struct hd_plan_entry *e, const char *word,
			      struct hd_token *rest)
{
	uint64_t size = e->size, arg = e->arg, max, *field;
	enum hd_err err = HD_OK;
	char *value;
	bool ok;

	for (size_t i = 0; i < NFLAGS; i++) {
		if (!strcmp(word, flags[i].word)) {
			e->flags |= flags[i].flag;
			return HD_OK;
		}
	}
	field = field_of(word, e, &size, &arg, &max);
	if (!field)
		return hd_run_bad(&r->l, "after the event's number come size, pc, addr, value, "
					 "value2, arg with a number each, free, goal, next");
	value = hd_run_word(&r->l, rest, &err);
	if (err)
		return err;
	ok = value && number(value, max, field);
	free(value);
	e->size = (uint32_t)size;
	e->arg = (uint32_t)arg;
	return ok ? HD_OK : hd_run_bad(&r->l, "a number is missing, wrong or too large");
}

/* T1 read 10 ... */
static enum hd_err read_entry(struct reading *r, const char *word, struct hd_token rest)
{
	struct hd_plan_entry e = { 0 };
	uint64_t thread;
	enum hd_err err;
	char *next;
	bool ok;

	if (word[0] != 'T' || word[1] == '0' || !number(word + 1, UINT32_MAX, &thread))
		return hd_run_bad(&r->l, "a line is program, option, start-time, build-id, goal, "
					 "after, loose, or a thread and its event");
	if (thread > HD_PLAN_THREADS_MAX)
		return hd_run_bad(&r->l, "there are not so many threads");
	e.thread = (uint32_t)thread;
	next = hd_run_word(&r->l, &rest, &err);
	if (err)
		return err;
	e.op = next ? op_of(next) : 0;
	free(next);
	if (!e.op)
		return hd_run_bad(&r->l, "there is no such event in a plan");
	next = hd_run_word(&r->l, &rest, &err);
	if (err)
		return err;
	ok = next && number(next, UINT64_MAX, &e.index);
	free(next);
	if (!ok)
		return hd_run_bad(&r->l, "the event's number in the observed run is missing");
	while ((next = hd_run_word(&r->l, &rest, &err)) != NULL) {
		err = read_field(r, &e, next, &rest);
		free(next);
		if (err)
			return err;
	}
	if (err)
		return err;
	if (r->p->n && (r->p->entries[r->p->n - 1].flags & HD_PLAN_NEXT) &&
	    !(e.flags & HD_PLAN_NEXT))
		return hd_run_bad(&r->l, "an event comes after one that is only to be next");
	return append(r->p, &e, r->l.eb);
}

static enum hd_err read_line(struct reading *r, struct hd_token text)
{
	struct hd_token rest = text;
	enum hd_err err;
	char *word = hd_run_word(&r->l, &rest, &err);
	bool taken;

	if (!word)
		return err;
	err = hd_run_line(&r->l, word, rest, &taken);
	if (taken) {
		free(word);
		return err;
	}
	if (!strcmp(word, "build-id")) {
		err = read_text(r, rest, &r->p->build_id);
	} else if (!strcmp(word, "goal")) {
		err = read_text(r, rest, &r->p->goal);
	} else if (!strcmp(word, "after")) {
		err = read_text(r, rest, &r->p->after);
	} else if (!strcmp(word, "loose")) {
		r->p->loose = true;
		err = hd_run_nothing_more(&r->l, rest);
	} else {
		err = read_entry(r, word, rest);
	}
	free(word);
	return err;
}

enum hd_err hd_plan_parse(struct hd_plan *p, const char *text, size_t len, const char *file,
			  struct hd_errbuf *eb)
{
	struct reading r = { .l = { .s = &p->run, .file = file, .line = 1, .eb = eb }, .p = p };
	const char *at = text, *end = text + len;
	struct hd_token line = { text, 0 };
	enum hd_err err;

	*p = (struct hd_plan){ 0 };
	hd_import_line(&at, end, &line);
	err = hd_run_first_line(&r.l, line, KIND, "a plan");
	while (!err && hd_import_line(&at, end, &line)) {
		r.l.line++;
		err = read_line(&r, line);
	}
	if (err)
		hd_plan_free(p);
	return err;
}

/* --- files --- */

enum hd_err hd_plan_load(struct hd_plan *p, const char *path, struct hd_errbuf *eb)
{
	enum hd_err err;
	char *text;
	size_t len;

	*p = (struct hd_plan){ 0 };
	err = hd_read_whole(path, 0, &text, &len, eb);
	if (err)
		return err;
	err = hd_plan_parse(p, text, len, path, eb);
	free(text);
	return err;
}

bool hd_plan_is(const char *path)
{
	char head[sizeof(KIND) - 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = pread(fd, head, sizeof(head), 0);
	close(fd);
	return n == (ssize_t)sizeof(head) && !memcmp(head, KIND, sizeof(head));
}

static void put_text(FILE *out, const char *key, const char *text)
{
	if (!text)
		return;
	fputs(key, out);
	hd_run_put_word(out, text);
	putc('\n', out);
}

static void put_entry(FILE *out, const struct hd_plan_entry *e)
{
	fprintf(out, "T%" PRIu32 " %s %" PRIu64, e->thread, hd_op_info[e->op].name, e->index);
	if (e->size)
		fprintf(out, " size %" PRIu32, e->size);
	if (e->pc)
		fprintf(out, " pc 0x%" PRIx64, e->pc);
	if (e->addr)
		fprintf(out, " addr 0x%" PRIx64, e->addr);
	if (e->value)
		fprintf(out, " value %" PRIu64, e->value);
	if (e->value2)
		fprintf(out, " value2 %" PRIu64, e->value2);
	if (e->arg)
		fprintf(out, " arg %" PRIu32, e->arg);
	for (size_t i = 0; i < NFLAGS; i++) {
		if (e->flags & flags[i].flag)
			fprintf(out, " %s", flags[i].word);
	}
	putc('\n', out);
}

enum hd_err hd_plan_save(const struct hd_plan *p, const char *path, struct hd_errbuf *eb)
{
	FILE *out = fopen(path, "we");
	bool failed;

	if (!out)
		return hd_fail(eb, HD_ERR_IO, "cannot create '%s': %s", path, strerror(errno));
	fputs(KIND " 1\n", out);
	hd_run_put(out, &p->run);
	put_text(out, "build-id", p->build_id);
	put_text(out, "goal", p->goal);
	put_text(out, "after", p->after);
	if (p->loose)
		fputs("loose\n", out);
	for (size_t i = 0; i < p->n; i++)
		put_entry(out, &p->entries[i]);
	failed = ferror(out) != 0;
	if (fclose(out) != 0 || failed)
		return hd_fail(eb, errno == ENOSPC ? HD_ERR_FULL : HD_ERR_IO,
			       "cannot write '%s': %s", path, strerror(errno));
	return HD_OK;
}
