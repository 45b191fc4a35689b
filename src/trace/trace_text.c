#include "trace_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "trace_cells.h"
#include "trace_import.h"

#define MAX_TOKENS 16
#define STRING_MAX 4096 /* bytes of a quoted string */

struct word {
	const char *name;
	uint16_t bits;
};

static const struct word mode_words[] = {
	{ "shared", HD_LOCK_SHARED },
	{ "try", HD_LOCK_TRY },
	{ "timed", HD_LOCK_TIMED },
	{ "again", HD_LOCK_AGAIN },
	{ "rwlock", HD_LOCK_RWLOCK },
	{ "spin", HD_LOCK_SPIN },
	{ "file", HD_LOCK_FILE },
	{ "isolated", HD_LOCK_ISOLATED },
	{ "omp", HD_LOCK_OMP },
	{ "unheeded", HD_LOCK_UNHEEDED },
	{ NULL, 0 },
};

static const struct word access_words[] = {
	{ "volatile", HD_ACCESS_VOLATILE },
	{ "libc", HD_ACCESS_LIBC },
	{ "repeat", HD_ACCESS_REPEAT },
	{ NULL, 0 },
};

static const char *const order_words[] = { "relaxed", "consume", "acquire", "release", "acq_rel" };

/* The words of arg for READ, WRITE and everything with a lock mode; NULL: it has none. */
static const struct word *arg_words(uint8_t op)
{
	if (hd_op_info[op].arg == HD_U_MODE)
		return mode_words;
	return op == HD_OP_READ || op == HD_OP_WRITE ? access_words : NULL;
}

/* --- reading --- */

struct line {
	struct hd_import *im;
	struct hd_token tokens[MAX_TOKENS];
	size_t n, at;
	struct hd_event ev;
	struct hd_token name; /* of ev.addr */
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* The end of the token at @p; quoted strings are one, with their quotes. */
static const char *token_end(const char *p, const char *end)
{
	bool quoted = *p == '"';

	if (!quoted) {
		while (p < end && !is_space(*p) && *p != '#')
			p++;
		return p;
	}
	for (p++; p < end && *p != '"'; p++) {
		if (*p == '\\' && p + 1 < end)
			p++;
	}
	return p < end ? p + 1 : p;
}

static enum hd_err split(struct line *l, struct hd_token text)
{
	const char *p = text.s, *end = text.s + text.len;

	l->n = l->at = 0;
	for (;;) {
		const char *from;

		while (p < end && is_space(*p))
			p++;
		if (p == end || *p == '#')
			return HD_OK;
		from = p;
		p = token_end(p, end);
		if (l->n == MAX_TOKENS)
			return hd_import_fail(l->im, "there is too much on the line, from",
					      (struct hd_token){ from, (size_t)(p - from) });
		l->tokens[l->n++] = (struct hd_token){ from, (size_t)(p - from) };
	}
}

static enum hd_err need(struct line *l, const char *what, struct hd_token *t)
{
	if (l->at == l->n)
		return hd_import_fail(l->im, "the line ends where there should be",
				      (struct hd_token){ what, strlen(what) });
	*t = l->tokens[l->at++];
	return HD_OK;
}

static bool is_identifier(struct hd_token t)
{
	for (size_t i = 0; i < t.len; i++) {
		char c = t.s[i];

		if (c != '_' && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
		    !(i && c >= '0' && c <= '9'))
			return false;
	}
	return t.len > 0;
}

static bool hex_number(struct hd_token t, uint64_t *out)
{
	*out = 0;
	if (t.len < 3 || t.len > 18 || t.s[0] != '0' || t.s[1] != 'x')
		return false;
	for (size_t i = 2; i < t.len; i++) {
		if (!isxdigit((unsigned char)t.s[i]))
			return false;
		*out = *out << 4 |
		       (unsigned)(t.s[i] <= '9' ? t.s[i] - '0' : (t.s[i] | 32) - 'a' + 10);
	}
	return true;
}

/* -2^63 .. 2^64 - 1, decimal or 0x. */
static bool integer(struct hd_token t, uint64_t *out)
{
	bool minus = t.len && t.s[0] == '-';
	struct hd_token digits = { t.s + minus, t.len - minus };

	if (!minus && hex_number(t, out))
		return true;
	if (!hd_token_number(digits, minus ? 1ull << 63 : UINT64_MAX, out))
		return false;
	if (minus)
		*out = 0 - *out;
	return true;
}

static bool thread_number(struct hd_token t, uint64_t *out)
{
	return t.len > 1 && t.s[0] == 'T' && (t.s[1] != '0' || t.len == 2) &&
	       hd_token_number((struct hd_token){ t.s + 1, t.len - 1 }, UINT32_MAX, out);
}

static enum hd_err read_name(struct line *l, uint8_t use)
{
	enum hd_err err = need(l, "a name", &l->name);

	if (err)
		return err;
	if (hd_token_is(l->name, "-"))
		return HD_OK; /* no object: address 0 */
	if (!is_identifier(l->name))
		return hd_import_fail(l->im, "this is not a name:", l->name);
	if (use == HD_U_LOC)
		return hd_import_location(l->im, l->name, &l->ev.addr);
	return hd_import_object(l->im, l->name, &l->ev.addr);
}

/* A string in double quotes with \" \\ \n \t \xHH, or - for none. */
static enum hd_err read_string(struct line *l, uint64_t *id)
{
	char buf[STRING_MAX];
	struct hd_token t;
	size_t n = 0;

	if (need(l, "a string", &t))
		return HD_ERR_PARSE;
	if (hd_token_is(t, "-"))
		return HD_OK;
	if (t.len < 2 || t.s[0] != '"' || t.s[t.len - 1] != '"' || t.len > sizeof(buf))
		return hd_import_fail(l->im, "this is not a string in quotes:", t);
	for (size_t i = 1; i < t.len - 1; i++) {
		char c = t.s[i];

		if (c == '\\') {
			uint64_t code = 0;

			c = t.s[++i];
			if (c == 'x' && i + 2 < t.len - 1) {
				char hex[4] = { '0', 'x', t.s[i + 1], t.s[i + 2] };

				if (!hex_number((struct hd_token){ hex, 4 }, &code) || !code)
					return hd_import_fail(l->im, "bad escape in", t);
				c = (char)code;
				i += 2;
			} else if (c == 'n' || c == 't') {
				c = c == 'n' ? '\n' : '\t';
			} else if (c != '"' && c != '\\') {
				return hd_import_fail(l->im, "bad escape in", t);
			}
		}
		if (!c || i >= t.len - 1)
			return hd_import_fail(l->im, "bad string", t);
		buf[n++] = c;
	}
	return hd_import_string(l->im, buf, n, id);
}

static enum hd_err read_value(struct line *l, uint8_t use, uint64_t *out)
{
	struct hd_token t;

	*out = 0;
	switch (use) {
	case HD_U_NONE:
		return HD_OK;
	case HD_U_STR:
		return read_string(l, out);
	case HD_U_THREAD:
		if (need(l, "a thread", &t))
			return HD_ERR_PARSE;
		return thread_number(t, out)
			       ? HD_OK
			       : hd_import_fail(l->im, "this is not a thread (T and a number):", t);
	default:
		if (need(l, "a number", &t))
			return HD_ERR_PARSE;
		return integer(t, out)
			       ? HD_OK
			       : hd_import_fail(l->im,
						"this is not a number of at most 64 bits:", t);
	}
}

static bool find_word(const struct word *words, struct hd_token t, uint16_t *bits)
{
	for (; words->name; words++) {
		if (hd_token_is(t, words->name)) {
			/* A lock is of one kind only. */
			if (words->bits & HD_LOCK_KIND_MASK && *bits & HD_LOCK_KIND_MASK)
				return false;
			*bits |= words->bits;
			return true;
		}
	}
	return false;
}

static bool find_order(struct hd_token t, uint16_t *order)
{
	for (uint16_t i = 0; i < 5; i++) {
		if (hd_token_is(t, order_words[i])) {
			*order = i;
			return true;
		}
	}
	*order = __ATOMIC_SEQ_CST;
	return hd_token_is(t, "seq_cst");
}

/* What is left on the line is arg, in words or as one number; it may be missing. */
static enum hd_err read_arg(struct line *l, uint8_t use)
{
	const struct word *words = arg_words(l->ev.op);
	uint64_t number;

	if (use == HD_U_ORDER)
		l->ev.arg = __ATOMIC_SEQ_CST;
	for (; use != HD_U_NONE && l->at < l->n; l->at++) {
		struct hd_token t = l->tokens[l->at];

		if (words ? find_word(words, t, &l->ev.arg)
			  : use == HD_U_ORDER && find_order(t, &l->ev.arg))
			continue;
		if (!hd_token_number(t, UINT16_MAX, &number))
			break;
		l->ev.arg = (uint16_t)number;
	}
	if (l->at == l->n)
		return HD_OK;
	return hd_import_fail(l->im, "this does not belong here:", l->tokens[l->at]);
}

/* @file:line at the end. */
static enum hd_err read_site(struct line *l)
{
	struct hd_token t = l->n ? l->tokens[l->n - 1] : (struct hd_token){ "", 0 }, number;
	const char *colon;
	uint64_t line;

	if (!t.len || t.s[0] != '@')
		return HD_OK;
	l->n--;
	colon = memrchr(t.s, ':', t.len);
	number.s = colon ? colon + 1 : t.s;
	number.len = (size_t)(t.s + t.len - number.s);
	if (!colon || colon == t.s + 1 || !hd_token_number(number, UINT32_MAX, &line))
		return hd_import_fail(l->im, "this is not @file:line:", t);
	return hd_import_site(l->im, (struct hd_token){ t.s + 1, (size_t)(colon - t.s - 1) },
			      (uint32_t)line, &l->ev.pc);
}

/* Ranges are written as reads and writes, INIT without a thread. */
static bool has_line(uint8_t op)
{
	return hd_op_info[op].name && op != HD_OP_READ_RANGE && op != HD_OP_WRITE_RANGE &&
	       op != HD_OP_INIT;
}

static enum hd_err read_word(struct line *l)
{
	struct hd_token t;
	uint64_t thread;

	t = l->tokens[l->at++];
	if (hd_token_is(t, "init")) {
		l->ev.op = HD_OP_INIT;
		return HD_OK;
	}
	if (!thread_number(t, &thread))
		return hd_import_fail(
			l->im, "a line starts with init or a thread (T and a number), not", t);
	l->ev.thread = (uint32_t)thread;
	if (need(l, "an event", &t))
		return HD_ERR_PARSE;
	for (uint8_t op = 1; op < HD_OP_LIMIT; op++) {
		if (has_line(op) && hd_token_is(t, hd_op_info[op].name)) {
			l->ev.op = op;
			return HD_OK;
		}
	}
	return hd_import_fail(l->im, "there is no event", t);
}

static bool has_size(uint8_t op)
{
	return hd_op_info[op].value == HD_U_VAL;
}

static enum hd_err read_line(struct line *l, struct hd_token text)
{
	const struct hd_op_info *info;
	enum hd_err err = split(l, text);

	if (err || !l->n)
		return err;
	l->ev = (struct hd_event){ 0 };
	l->name = (struct hd_token){ "", 0 };
	if ((err = read_site(l)) ||
	    (err = l->n ? HD_OK : hd_import_fail(l->im, "there is only", text)))
		return err;
	if ((err = read_word(l)))
		return err;
	info = &hd_op_info[l->ev.op];
	if (has_size(l->ev.op))
		l->ev.size = 8;
	if (info->addr != HD_U_NONE && (err = read_name(l, info->addr)))
		return err;
	if ((err = read_value(l, info->value, &l->ev.value)) ||
	    (err = read_value(l, info->value2, &l->ev.value2)) || (err = read_arg(l, info->arg)))
		return err;
	return hd_import_event(l->im, &l->ev, l->name);
}

enum hd_err hd_text_import(const char *text, size_t len, const char *file,
			   struct hd_trace_writer *w, struct hd_errbuf *eb)
{
	const char *at = text, *end = text + len;
	struct hd_import im;
	struct line l = { .im = &im };
	struct hd_token line;
	enum hd_err err = hd_import_init(&im, file, w, eb);

	while (!err && hd_import_line(&at, end, &line)) {
		im.line++;
		err = read_line(&l, line);
	}
	hd_import_free(&im);
	return err;
}

/* --- writing --- */

struct text_export {
	FILE *out;
	struct hd_namer namer;
	bool run_only; /* leave out what is about the recording */
};

static void put_string(FILE *out, const char *s)
{
	if (!s) {
		fputs(" -", out);
		return;
	}
	fputs(" \"", out);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			fprintf(out, "\\%c", *s);
		else if (*s == '\n')
			fputs("\\n", out);
		else if (*s == '\t')
			fputs("\\t", out);
		else if ((unsigned char)*s < 0x20 || *s == 0x7f)
			fprintf(out, "\\x%02x", (unsigned char)*s);
		else
			putc(*s, out);
	}
	putc('"', out);
}

static void put_value(struct text_export *x, uint8_t use, uint64_t v)
{
	switch (use) {
	case HD_U_NONE:
		break;
	case HD_U_STR:
		put_string(x->out, hd_trace_string(x->namer.t, v));
		break;
	case HD_U_THREAD:
		fprintf(x->out, " T%u", (uint32_t)v);
		break;
	case HD_U_PC:
		fprintf(x->out, " 0x%" PRIx64, v);
		break;
	default:
		fprintf(x->out, " %" PRId64, (int64_t)v);
	}
}

static void put_arg(FILE *out, uint8_t op, uint16_t arg)
{
	const struct word *w = arg_words(op);
	uint16_t kind = arg & HD_LOCK_KIND_MASK, all = 0;

	if (hd_op_info[op].arg == HD_U_NONE)
		return;
	if (hd_op_info[op].arg == HD_U_ORDER) {
		if (arg < 5)
			fprintf(out, " %s", order_words[arg]);
		else if (arg != __ATOMIC_SEQ_CST)
			fprintf(out, " %u", arg);
		return;
	}
	/* A kind is one of several, the other words are bits. */
	for (const struct word *i = w; i && i->name; i++) {
		if (i->bits & HD_LOCK_KIND_MASK ? kind == i->bits : arg & i->bits)
			all |= i->bits;
	}
	if (all != arg) {
		fprintf(out, " %u", arg);
		return;
	}
	for (; w && w->name; w++) {
		if (w->bits & HD_LOCK_KIND_MASK ? kind == w->bits : arg & w->bits)
			fprintf(out, " %s", w->name);
	}
}

static void put_site(struct text_export *x, uint64_t pc)
{
	const char *file;
	uint32_t line;

	if (!hd_name_site(&x->namer, pc, &file, &line) || !file || !*file)
		return;
	fputs("  @", x->out);
	for (; *file; file++)
		putc((unsigned char)*file <= ' ' || *file == '#' || *file == 0x7f ? '_' : *file,
		     x->out);
	fprintf(x->out, ":%u", line);
}

static enum hd_err put_name(struct text_export *x, const char *name, struct hd_errbuf *eb)
{
	if (!name)
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory while exporting");
	fprintf(x->out, " %s", name);
	return HD_OK;
}

/* An event that is not an access: as it is. */
static enum hd_err put_event(struct text_export *x, const struct hd_event *ev, struct hd_errbuf *eb)
{
	const struct hd_op_info *info = &hd_op_info[ev->op];
	enum hd_err err = HD_OK;

	fprintf(x->out, "T%u %s", ev->thread, info->name);
	if (info->addr != HD_U_NONE && !ev->addr)
		fputs(" -", x->out);
	else if (info->addr == HD_U_LOC)
		err = put_name(x, hd_name_location(&x->namer, ev->addr, 0), eb);
	else if (info->addr == HD_U_OBJ)
		err = put_name(x, hd_name_object(&x->namer, ev->addr, ev->op), eb);
	put_value(x, info->value, ev->value);
	put_value(x, info->value2, ev->value2);
	return err;
}

static enum hd_err put_access(struct text_export *x, const struct hd_cell_step *s,
			      struct hd_errbuf *eb)
{
	const struct hd_cell *cell = s->cell;
	enum hd_err err;

	if (s->op == HD_OP_INIT)
		fputs("init", x->out);
	else
		fprintf(x->out, "T%u %s", s->thread, hd_op_info[s->op].name);
	err = put_name(x, hd_name_location(&x->namer, cell->addr, cell->size), eb);
	fprintf(x->out, " %" PRId64, hd_cell_signed(cell, s->value));
	if (hd_op_info[s->op].value2 != HD_U_NONE)
		fprintf(x->out, " %" PRId64, hd_cell_signed(cell, s->value2));
	return err;
}

/* Not something the program did. */
static bool about_recording(uint8_t op)
{
	switch (op) {
	case HD_OP_THREAD_BEGIN:
	case HD_OP_THREAD_END:
	case HD_OP_CHOICE:
	case HD_OP_OUTSIDE:
	case HD_OP_MODULE:
	case HD_OP_EXIT:
	case HD_OP_FINDING:
	case HD_OP_STATE:
	case HD_OP_FRAME:
	case HD_OP_HOLDS:
	case HD_OP_FINDING_END:
	case HD_OP_ACCESS:
	case HD_OP_GOAL:
	case HD_OP_STOPPED:
	case HD_OP_STALL:
	case HD_OP_EXPECTED:
	case HD_OP_WITHIN:
		return true;
	default:
		return false;
	}
}

static enum hd_err put_step(void *arg, const struct hd_cell_step *s, struct hd_errbuf *eb)
{
	struct text_export *x = arg;
	enum hd_err err;

	if (x->run_only && !s->cell && about_recording(s->op))
		return HD_OK;
	err = s->cell ? put_access(x, s, eb) : put_event(x, s->ev, eb);
	if (s->ev) {
		put_arg(x->out, s->op, s->op == s->ev->op ? s->ev->arg : 0);
		put_site(x, s->ev->pc);
	}
	if (!s->ev && s->op != HD_OP_INIT)
		fputs("  # by code that heddle did not see", x->out);
	putc('\n', x->out);
	if (!err && ferror(x->out))
		return hd_fail(eb, HD_ERR_IO, "cannot write the text");
	return err;
}

enum hd_err hd_text_export(struct hd_trace *t, FILE *out, const struct hd_name_source *names,
			   bool everything, struct hd_errbuf *eb)
{
	struct text_export x = { .out = out, .run_only = !everything && hd_trace_argc(t) > 0 };
	enum hd_err err;

	hd_namer_init(&x.namer, t, names);
	err = hd_cells_each(t, put_step, &x, eb);
	hd_namer_free(&x.namer);
	return err;
}
