#include "correlate_input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "report/run_model.h"
#include "common/whole_file.h"

#define FIRST_LINE "heddle-correlate 1"

/* Room for one more at the end of an array of the result. */
#define MORE(r, what)                                                                              \
	(HD_ROOM((r)->what, (r)->what##_room, (r)->n##what + 1)                                    \
		 ? memset(&(r)->what[(r)->n##what++], 0, sizeof(*(r)->what))                       \
		 : NULL)

enum taken { TAKEN, WRONG, NO_MEMORY };

static enum taken take_module(struct hd_cr_result *r, const char *line)
{
	struct hd_cr_module *m = MORE(r, modules);
	int at = 0;

	if (!m)
		return NO_MEMORY;
	if (sscanf(line, "module %" SCNx64 " %" SCNx64 " %n", &m->base, &m->len, &at) < 2 || !at)
		return WRONG;
	m->path = strdup(line + at);
	return m->path ? TAKEN : NO_MEMORY;
}

static enum taken take_thread(struct hd_cr_result *r, const char *line)
{
	struct hd_cr_thread *t = MORE(r, threads);

	if (!t)
		return NO_MEMORY;
	return sscanf(line, "thread %" SCNu32 " %" SCNu32 " %" SCNx64 " %" SCNu32, &t->number,
		      &t->creator, &t->pc, &t->ctx) == 4
		       ? TAKEN
		       : WRONG;
}

static enum taken take_ctx(struct hd_cr_result *r, const char *line)
{
	struct hd_cr_ctx *c = MORE(r, contexts);

	if (!c)
		return NO_MEMORY;
	return sscanf(line, "ctx %" SCNu32 " %" SCNu32 " %" SCNx64, &c->number, &c->parent,
		      &c->pc) == 3 &&
			       c->parent < c->number
		       ? TAKEN
		       : WRONG;
}

static enum taken take_block(struct hd_cr_result *r, const char *line)
{
	struct hd_cr_block *b = MORE(r, blocks);

	if (!b)
		return NO_MEMORY;
	return sscanf(line, "block %" SCNx64 " %" SCNx64 " %" SCNu32 " %" SCNx64 " %" SCNu32,
		      &b->addr, &b->size, &b->thread, &b->pc, &b->ctx) == 5
		       ? TAKEN
		       : WRONG;
}

/* The place of @word in @words, which NULL ends, or -1. */
static int which(const char *word, const char *const *words)
{
	for (int i = 0; words[i]; i++) {
		if (!strcmp(word, words[i]))
			return i;
	}
	return -1;
}

static enum taken take_finding(struct hd_cr_result *r, const char *line)
{
	static const char *const kinds[] = { "race",  "released", "repeated", "indexed", "torn",
					     "locks", "lockset",  "ordered",  NULL };
	struct hd_cr_finding *f = MORE(r, findings);
	char kind[16];

	if (!f)
		return NO_MEMORY;
	if (sscanf(line, "finding %15s %" SCNu32 " %" SCNx64 " %" SCNu32 " %" SCNu64, kind, &f->set,
		   &f->addr, &f->size, &f->times) != 5 ||
	    which(kind, kinds) < 0)
		return WRONG;
	f->kind = (enum hd_cr_kind)which(kind, kinds);
	return TAKEN;
}

static enum taken take_access(struct hd_cr_result *r, const char *line)
{
	static const char *const roles[] = { "first", "second", "begin", "between", "end", NULL };
	static const char *const ops[] = { "read", "write", "atomic", NULL };
	struct hd_cr_finding *f = r->nfindings ? &r->findings[r->nfindings - 1] : NULL;
	struct hd_cr_access *a;
	char role[16], op[16];

	if (!f)
		return WRONG;
	a = MORE(f, accesses);
	if (!a)
		return NO_MEMORY;
	if (sscanf(line,
		   "access %15s %" SCNu32 " %15s %" SCNx64 " %" SCNu32 " %" SCNx64 " %" SCNu32,
		   role, &a->thread, op, &a->addr, &a->size, &a->pc, &a->ctx) != 7 ||
	    which(role, roles) < 0 || which(op, ops) < 0)
		return WRONG;
	a->role = roles[which(role, roles)];
	a->op = (enum hd_cr_op)which(op, ops);
	return TAKEN;
}

static enum taken take_held(struct hd_cr_result *r, const char *line)
{
	struct hd_cr_finding *f = r->nfindings ? &r->findings[r->nfindings - 1] : NULL;
	struct hd_cr_access *a = f && f->naccesses ? &f->accesses[f->naccesses - 1] : NULL;
	struct hd_cr_lock *l;
	int shared;

	if (!a)
		return WRONG;
	l = MORE(a, locks);
	if (!l)
		return NO_MEMORY;
	if (sscanf(line, "held %" SCNx64 " %d %u", &l->addr, &shared, &l->kind) != 3)
		return WRONG;
	l->shared = shared != 0;
	return TAKEN;
}

static enum taken take_word(struct hd_cr_result *r, const char *line)
{
	struct hd_cr_word *w = MORE(r, words);
	int written;

	if (!w)
		return NO_MEMORY;
	if (sscanf(line, "word %" SCNu32 " %" SCNx64 " %" SCNu32 " %" SCNx64 " %d", &w->set,
		   &w->addr, &w->size, &w->threads, &written) != 5)
		return WRONG;
	w->written = written != 0;
	return TAKEN;
}

static enum taken take_stat(struct hd_cr_result *r, const char *line)
{
	return TAKEN;
}

static enum taken take_end(struct hd_cr_result *r, const char *line)
{
	return sscanf(line, "end %d", &r->code) == 1 ? TAKEN : WRONG;
}

static enum taken take_line(struct hd_cr_result *r, const char *line)
{
	static const struct {
		const char *word;
		enum taken (*take)(struct hd_cr_result *, const char *);
	} lines[] = {
		{ "module ", take_module },   { "thread ", take_thread },
		{ "ctx ", take_ctx },	      { "block ", take_block },
		{ "finding ", take_finding }, { "access ", take_access },
		{ "held ", take_held },	      { "word ", take_word },
		{ "stat ", take_stat },	      { "end ", take_end },
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (!strncmp(line, lines[i].word, strlen(lines[i].word)))
			return lines[i].take(r, line);
	}
	return WRONG;
}

static int by_set(const void *left, const void *right)
{
	const struct hd_cr_word *a = left, *b = right;

	if (a->set != b->set)
		return a->set < b->set ? -1 : 1;
	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static enum hd_err fail_at(struct hd_errbuf *eb, const char *name, unsigned long number,
			   enum taken how)
{
	if (how == NO_MEMORY)
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory for what the Valgrind tool found");
	return hd_fail(eb, HD_ERR_PARSE, "%s: line %lu is not what the Valgrind tool writes", name,
		       number);
}

enum hd_err hd_cr_parse(struct hd_cr_result *r, char *text, const char *name, struct hd_errbuf *eb)
{
	unsigned long number = 0;
	bool ended = false;
	char *rest = NULL;

	*r = (struct hd_cr_result){ 0 };
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		enum taken how;

		number++;
		if (number == 1 && strcmp(line, FIRST_LINE))
			return hd_fail(eb, HD_ERR_PARSE,
				       "%s begins with '%.40s' and not with '%s': "
				       "it is of another version of the tool",
				       name, line, FIRST_LINE);
		how = number == 1 ? TAKEN : ended ? WRONG : take_line(r, line);
		if (how != TAKEN)
			return fail_at(eb, name, number, how);
		ended = !strncmp(line, "end ", 4);
	}
	if (!ended)
		return hd_fail(eb, HD_ERR_PARSE, "%s breaks off after line %lu", name, number);
	if (r->nwords)
		qsort(r->words, r->nwords, sizeof(*r->words), by_set);
	return HD_OK;
}

enum hd_err hd_cr_read(struct hd_cr_result *r, const char *path, struct hd_errbuf *eb)
{
	char *text;
	size_t len;
	enum hd_err err = hd_read_whole(path, HD_SMALL_FILE, &text, &len, eb);

	*r = (struct hd_cr_result){ 0 };
	if (err)
		return err;
	err = hd_cr_parse(r, text, path, eb);
	free(text);
	return err;
}

void hd_cr_free(struct hd_cr_result *r)
{
	for (size_t i = 0; i < r->nmodules; i++)
		free(r->modules[i].path);
	for (size_t i = 0; i < r->nfindings; i++) {
		struct hd_cr_finding *f = &r->findings[i];

		for (size_t k = 0; k < f->naccesses; k++)
			free(f->accesses[k].locks);
		free(f->accesses);
	}
	free(r->modules);
	free(r->threads);
	free(r->contexts);
	free(r->blocks);
	free(r->findings);
	free(r->words);
	*r = (struct hd_cr_result){ 0 };
}
