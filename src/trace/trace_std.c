#include "trace_std.h"

#include <inttypes.h>
#include <string.h>

#include "trace_cells.h"
#include "trace_import.h"

static const struct std_word {
	const char *word;
	uint8_t op;
} std_words[] = {
	{ "r", HD_OP_READ },	  { "w", HD_OP_WRITE },	  { "acq", HD_OP_ACQUIRE },
	{ "rel", HD_OP_RELEASE }, { "fork", HD_OP_FORK }, { "join", HD_OP_JOIN },
	{ "begin", HD_OP_BEGIN }, { "end", HD_OP_END },	  { NULL, 0 },
};

/* --- reading --- */

struct std_import {
	struct hd_import im;
	struct hd_texts others; /* threads not called T and a number */
	uint64_t top;		/* the highest number of those that are */
	uint64_t writes;
};

struct std_line {
	struct hd_token thread, word, operand, site;
};

static struct hd_token trim(const char *from, const char *to)
{
	while (from < to && (*from == ' ' || *from == '\t'))
		from++;
	while (from < to && (to[-1] == ' ' || to[-1] == '\t' || to[-1] == '\r'))
		to--;
	return (struct hd_token){ from, (size_t)(to - from) };
}

/* Cut thread|word(operand)|site; false: it is not of this form. */
static bool cut(struct hd_token text, struct std_line *l)
{
	const char *end = text.s + text.len, *bar = memchr(text.s, '|', text.len), *second;
	struct hd_token event;
	const char *open;

	if (!bar)
		return false;
	second = memchr(bar + 1, '|', (size_t)(end - bar - 1));
	l->thread = trim(text.s, bar);
	event = trim(bar + 1, second ? second : end);
	l->site = second ? trim(second + 1, end) : (struct hd_token){ end, 0 };
	open = memchr(event.s, '(', event.len);
	l->word = event;
	l->operand = (struct hd_token){ end, 0 };
	if (open) {
		if (event.s[event.len - 1] != ')')
			return false;
		l->word = trim(event.s, open);
		l->operand = trim(open + 1, event.s + event.len - 1);
	}
	return l->thread.len && l->word.len;
}

static bool plain_thread(struct hd_token t, uint64_t *n)
{
	return t.len > 1 && t.s[0] == 'T' && (t.s[1] != '0' || t.len == 2) &&
	       hd_token_number((struct hd_token){ t.s + 1, t.len - 1 }, UINT32_MAX / 2, n);
}

/* T7 is thread 7; threads with other names come after the highest such number. */
static enum hd_err thread_of(struct std_import *s, struct hd_token t, uint64_t *n)
{
	uint32_t number;

	if (plain_thread(t, n))
		return HD_OK;
	number = hd_texts_add(&s->others, t.s, t.len);
	*n = s->top + number;
	if (!number || *n > UINT32_MAX)
		return hd_fail(s->im.eb, HD_ERR_LIMIT, "%s: line %lu: too many threads", s->im.file,
			       s->im.line);
	return HD_OK;
}

static void find_top(struct std_import *s, const char *at, const char *end)
{
	struct hd_token line;
	struct std_line l;
	uint64_t n;

	while (hd_import_line(&at, end, &line)) {
		if (!cut(line, &l))
			continue;
		if (plain_thread(l.thread, &n) && n > s->top)
			s->top = n;
		if ((hd_token_is(l.word, "fork") || hd_token_is(l.word, "join")) &&
		    plain_thread(l.operand, &n) && n > s->top)
			s->top = n;
	}
}

/* Locks may be taken again by their owner, which STD does not mark. */
static enum hd_err lock_operand(struct std_import *s, const struct std_line *l, struct hd_event *ev)
{
	enum hd_err err = hd_import_object(&s->im, l->operand, &ev->addr);
	uint64_t holds = err ? 0 : hd_run_check_holds(s->im.check, ev->addr, ev->thread);

	if (holds > (ev->op == HD_OP_RELEASE ? 1u : 0u))
		ev->arg = HD_LOCK_AGAIN;
	return err;
}

static enum hd_err operand(struct std_import *s, const struct std_line *l, struct hd_event *ev)
{
	enum hd_err err;

	if (ev->op == HD_OP_BEGIN || ev->op == HD_OP_END)
		return HD_OK;
	if (!l->operand.len)
		return hd_import_fail(&s->im, "there is nothing in parentheses after", l->word);
	if (ev->op == HD_OP_FORK || ev->op == HD_OP_JOIN)
		return thread_of(s, l->operand, &ev->value);
	if (ev->op == HD_OP_ACQUIRE || ev->op == HD_OP_RELEASE)
		return lock_operand(s, l, ev);
	err = hd_import_location(&s->im, l->operand, &ev->addr);
	ev->size = 8;
	ev->value = ev->op == HD_OP_WRITE ? ++s->writes : hd_run_check_value(s->im.check, ev->addr);
	return err;
}

static enum hd_err std_line(struct std_import *s, struct hd_token text)
{
	const struct std_word *w = std_words;
	struct hd_event ev = { 0 };
	struct std_line l;
	uint64_t thread;
	enum hd_err err;

	text = trim(text.s, text.s + text.len);
	if (!text.len || text.s[0] == '#')
		return HD_OK;
	if (!cut(text, &l))
		return hd_import_fail(&s->im, "this is not thread|event(name)|place:", text);
	if (memchr(text.s, 0, text.len))
		return hd_import_fail(&s->im, "there is a zero byte in", text);
	while (w->word && !hd_token_is(l.word, w->word))
		w++;
	if (!w->word)
		return hd_import_fail(&s->im, "there is no event", l.word);
	ev.op = w->op;
	if ((err = thread_of(s, l.thread, &thread)))
		return err;
	ev.thread = (uint32_t)thread;
	if ((err = operand(s, &l, &ev)))
		return err;
	if (l.site.len && (err = hd_import_site(&s->im, l.site, 0, &ev.pc)))
		return err;
	return hd_import_event(&s->im, &ev, l.operand);
}

enum hd_err hd_std_import(const char *text, size_t len, const char *file, struct hd_trace_writer *w,
			  struct hd_errbuf *eb)
{
	const char *at = text, *end = text + len;
	struct std_import s = { 0 };
	struct hd_token line;
	enum hd_err err = hd_import_init(&s.im, file, w, eb);

	find_top(&s, text, end);
	while (!err && hd_import_line(&at, end, &line)) {
		s.im.line++;
		err = std_line(&s, line);
	}
	hd_texts_free(&s.others);
	hd_import_free(&s.im);
	return err;
}

/* --- writing --- */

struct std_export {
	FILE *out;
	struct hd_namer namer;
	uint64_t left_out;
};

static void put_place(struct std_export *x, uint64_t pc)
{
	const char *file = NULL;
	uint32_t line = 0;

	if (!hd_name_site(&x->namer, pc, &file, &line) || !file) {
		fprintf(x->out, "|%" PRIx64 "\n", pc);
		return;
	}
	putc('|', x->out);
	for (; *file; file++)
		putc((unsigned char)*file < ' ' || *file == '|' ? '_' : *file, x->out);
	if (line)
		fprintf(x->out, ":%u", line);
	putc('\n', x->out);
}

static enum hd_err put_line(struct std_export *x, const struct hd_cell_step *s, const char *word,
			    const char *name, struct hd_errbuf *eb)
{
	if (!name)
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory while exporting");
	fprintf(x->out, "T%u|%s(%s)", s->thread, word, name);
	put_place(x, s->ev ? s->ev->pc : 0);
	return ferror(x->out) ? hd_fail(eb, HD_ERR_IO, "cannot write the text") : HD_OK;
}

/* Values are gone, so initial ones need no line, and a read-modify-write becomes two. */
static enum hd_err put_access(struct std_export *x, const struct hd_cell_step *s,
			      struct hd_errbuf *eb)
{
	const char *name = hd_name_location(&x->namer, s->cell->addr, s->cell->size);
	bool reads = s->op != HD_OP_WRITE && s->op != HD_OP_ATOMIC_STORE;
	enum hd_err err = HD_OK;

	if (s->op == HD_OP_INIT)
		return HD_OK;
	if (reads)
		err = put_line(x, s, "r", name, eb);
	if (!err && (!reads || s->op == HD_OP_ATOMIC_RMW))
		err = put_line(x, s, "w", name, eb);
	return err;
}

/* Is it one of those that order threads? */
static bool synchronises(const struct hd_event *ev)
{
	return (ev->op >= HD_OP_WAKE && ev->op <= HD_OP_HB_ACQUIRE) ||
	       (ev->op >= HD_OP_TASK_SPAWN && ev->op <= HD_OP_ISOLATED_END) ||
	       ev->op == HD_OP_FENCE;
}

static enum hd_err put_step(void *arg, const struct hd_cell_step *s, struct hd_errbuf *eb)
{
	struct std_export *x = arg;
	const struct std_word *w = std_words;
	char thread[16];

	if (s->cell)
		return put_access(x, s, eb);
	while (w->word && w->op != s->op)
		w++;
	if (!w->word ||
	    ((s->op == HD_OP_ACQUIRE || s->op == HD_OP_RELEASE) && s->ev->arg & HD_LOCK_SHARED)) {
		x->left_out += w->word || synchronises(s->ev);
		return HD_OK;
	}
	if (s->op == HD_OP_ACQUIRE || s->op == HD_OP_RELEASE)
		return put_line(x, s, w->word, hd_name_object(&x->namer, s->ev->addr, s->op), eb);
	if (s->op == HD_OP_BEGIN || s->op == HD_OP_END) {
		fprintf(x->out, "T%u|%s", s->thread, w->word);
		put_place(x, s->ev->pc);
		return HD_OK;
	}
	snprintf(thread, sizeof(thread), "T%u", (uint32_t)s->value);
	return put_line(x, s, w->word, thread, eb);
}

enum hd_err hd_std_export(struct hd_trace *t, FILE *out, const struct hd_name_source *names,
			  uint64_t *left_out, struct hd_errbuf *eb)
{
	struct std_export x = { .out = out };
	enum hd_err err;

	hd_namer_init(&x.namer, t, names);
	err = hd_cells_each(t, put_step, &x, eb);
	hd_namer_free(&x.namer);
	*left_out = x.left_out;
	return err;
}
