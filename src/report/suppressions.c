#include "suppressions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "explain.h"
#include "common/whole_file.h"

struct rule {
	char *line;	     /* as it was written */
	const char *type;    /* static */
	const char *pattern; /* within line */
	uint64_t used;
};

struct hd_suppressions {
	struct rule *rules;
	size_t n, cap;
};

/* ---- matching ------------------------------------------------------------ */

/* Does @pattern (to @end) match at the start of @text? With @whole, all of it? */
static bool matches_here(const char *pattern, const char *end, const char *text, bool whole)
{
	const char *star = NULL, *retry = NULL;

	for (;;) {
		if (pattern < end && *pattern == '*') {
			star = pattern++;
			retry = text;
		} else if (pattern == end && (!whole || !*text)) {
			return true;
		} else if (pattern < end && *pattern == *text) {
			pattern++;
			text++;
		} else if (star && *retry) {
			/* What the last star takes grows; those before it need not. */
			pattern = star + 1;
			text = ++retry;
		} else {
			return false;
		}
	}
}

bool hd_pattern_matches(const char *pattern, const char *text)
{
	size_t len = strlen(pattern);
	bool start = *pattern == '^';
	bool whole = len > start && pattern[len - 1] == '$';
	const char *end = pattern + len - whole;

	if (start)
		return matches_here(pattern + 1, end, text, whole);
	do {
		if (matches_here(pattern, end, text, whole))
			return true;
	} while (*text++);
	return false;
}

static bool matches_text(const char *pattern, const char *text)
{
	return text && hd_pattern_matches(pattern, text);
}

static bool matches_stack(const char *pattern, const struct hd_stack *s)
{
	for (size_t i = 0; i < s->nframes; i++) {
		const struct hd_frame *f = &s->frames[i];

		if (matches_text(pattern, f->function) || matches_text(pattern, f->file) ||
		    matches_text(pattern, f->module))
			return true;
	}
	return false;
}

static bool matches_object(const char *pattern, const struct hd_run *run, uint64_t addr,
			   uint64_t size)
{
	char name[512];

	return addr && hd_location_name(run, addr, size, name, sizeof(name)) &&
	       hd_pattern_matches(pattern, name);
}

static bool matches_threads(const char *pattern, const struct hd_run *run,
			    const struct hd_finding *f)
{
	for (size_t i = 0; i < f->waiting.nthreads; i++) {
		const struct hd_finding_thread *st = &f->waiting.threads[i];

		if (!hd_is_involved(f, st))
			continue;
		if (matches_stack(pattern, &st->stack))
			return true;
		if (st->state != HD_TS_JOIN && matches_object(pattern, run, st->addr, 0))
			return true;
	}
	return false;
}

static bool matches(const char *pattern, const struct hd_run *run, const struct hd_finding *f)
{
	struct hd_frame frame;
	char status[24];

	if (f->kind == HD_KIND_EXIT) {
		snprintf(status, sizeof(status), "%" PRIu64, f->value);
		return hd_pattern_matches(pattern, status);
	}
	if (matches_object(pattern, run, f->location.addr, f->location.size) ||
	    matches_threads(pattern, run, f))
		return true;
	for (size_t i = 0; i < f->naccesses; i++) {
		const struct hd_access *a = &f->accesses[i];

		if (matches_stack(pattern, &a->stack) ||
		    (f->kind == HD_KIND_LOCK_ORDER &&
		     matches_object(pattern, run, a->event.addr, 0)))
			return true;
	}
	return f->location.origin.alloc.op &&
	       hd_run_frame(run, f->location.origin.alloc.pc, &frame) &&
	       (matches_text(pattern, frame.function) || matches_text(pattern, frame.file));
}

const char *hd_suppressed_by(struct hd_suppressions *s, const struct hd_run *run,
			     const struct hd_finding *f)
{
	const char *kind = hd_kind_word(f->kind), *line = NULL;

	for (size_t i = 0; s && i < s->n; i++) {
		struct rule *r = &s->rules[i];

		if (strcmp(r->type, kind) || !matches(r->pattern, run, f))
			continue;
		r->used++;
		if (!line)
			line = r->line;
	}
	return line;
}

const char *hd_suppressions_unused(const struct hd_suppressions *s, size_t i)
{
	for (size_t k = 0; s && k < s->n; k++) {
		if (!s->rules[k].used && !i--)
			return s->rules[k].line;
	}
	return NULL;
}

/* ---- reading ------------------------------------------------------------- */

static const char *find_type(const char *word, size_t len)
{
	for (int i = 0; i < HD_RULES; i++) {
		const char *type = hd_rules[i].word;

		if (strlen(type) == len && !strncmp(type, word, len))
			return type;
	}
	return NULL;
}

#define HD_RULE(name, word, title, maybe, sarif, text) ", " word
#define HD_KIND(name, number, rule, as, certainty, criterion, id, traits)
static const char all_types[] =
#include "trace/kinds.def"
	;
#undef HD_RULE
#undef HD_KIND

static const char no_type[] = "does not begin with one of ";

/* The reason why @line is no suppression, or NULL if it is one and was added. */
static const char *add_line(struct hd_suppressions *s, const char *line, size_t len,
			    enum hd_err *err)
{
	const char *colon = memchr(line, ':', len);
	const char *type = colon ? find_type(line, (size_t)(colon - line)) : NULL;
	char *copy;

	if (memchr(line, 0, len))
		return "has a zero byte";
	if (!colon)
		return "has no ':'; write type:pattern";
	if (!type)
		return no_type;
	if (colon + 1 == line + len)
		return "has no pattern after the ':'";
	copy = strndup(line, len);
	if (!copy || !HD_ROOM(s->rules, s->cap, s->n + 1)) {
		free(copy);
		*err = HD_ERR_NOMEM;
		return "does not fit into memory";
	}
	s->rules[s->n++] =
		(struct rule){ .line = copy, .type = type, .pattern = copy + (colon + 1 - line) };
	return NULL;
}

enum hd_err hd_suppressions_parse(struct hd_suppressions **out, const char *text, size_t len,
				  const char *name, struct hd_errbuf *eb)
{
	struct hd_suppressions *s = calloc(1, sizeof(*s));
	const char *end = text + len;
	unsigned long number = 0;

	*out = NULL;
	if (!s)
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory");
	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text)), *why = NULL;
		const char *next = nl ? nl + 1 : end, *stop = nl ? nl : end;
		enum hd_err err = HD_ERR_PARSE;

		number++;
		while (text < stop && (*text == ' ' || *text == '\t'))
			text++;
		while (stop > text && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r'))
			stop--;
		if (text < stop && *text != '#')
			why = add_line(s, text, (size_t)(stop - text), &err);
		if (why) {
			hd_suppressions_free(s);
			return hd_fail(eb, err, "%s: line %lu %s%s", name, number, why,
				       why == no_type ? all_types + strlen(", ") : "");
		}
		text = next;
	}
	*out = s;
	return HD_OK;
}

enum hd_err hd_suppressions_load(struct hd_suppressions **out, const char *path,
				 struct hd_errbuf *eb)
{
	char *text = NULL;
	size_t len = 0;
	enum hd_err err = hd_read_whole(path, HD_SMALL_FILE, &text, &len, eb);

	*out = NULL;
	if (err)
		return err;
	err = hd_suppressions_parse(out, text, len, path, eb);
	free(text);
	return err;
}

void hd_suppressions_free(struct hd_suppressions *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		free(s->rules[i].line);
	free(s->rules);
	free(s);
}

/* ---- making -------------------------------------------------------------- */

/* Where to look for @f: a function if there is one, else whatever names it. */
static const char *name_for(const struct hd_run *run, const struct hd_finding *f, char *buf,
			    size_t len)
{
	const struct hd_frame *top = hd_finding_top(f);

	if (f->kind == HD_KIND_EXIT) {
		snprintf(buf, len, "%" PRIu64, f->value);
		return buf;
	}
	if (top && top->function)
		return top->function;
	if (f->location.addr &&
	    hd_finding_name(run, f, f->location.addr, f->location.size, buf, len))
		return buf;
	return top && top->file ? top->file : top ? top->module : NULL;
}

/* What would break a line, or the blanks that reading takes off, match anything. */
static void put_pattern(FILE *out, const char *name)
{
	putc('^', out);
	for (; *name; name++) {
		unsigned char c = (unsigned char)*name;

		putc(c < 0x20 || c == 0x7f ? '*' : c, out);
	}
	putc('$', out);
}

void hd_put_suppression(FILE *out, const struct hd_run *run, const struct hd_finding *f)
{
	char buf[512];
	const char *name = name_for(run, f, buf, sizeof(buf));

	fputs("# ", out);
	if (!hd_finding_has_accesses(f))
		fprintf(out, "%s: ", hd_title(f));
	hd_put_headline(out, run, f);
	fprintf(out, "\n%s:", hd_kind_word(f->kind));
	if (name)
		put_pattern(out, name);
	else
		putc('*', out);
	putc('\n', out);
}

bool hd_same_suppression(const struct hd_run *run, const struct hd_finding *a,
			 const struct hd_finding *b)
{
	char buf_a[512], buf_b[512];
	const char *name_a = name_for(hd_finding_run(run, a), a, buf_a, sizeof(buf_a));
	const char *name_b = name_for(hd_finding_run(run, b), b, buf_b, sizeof(buf_b));

	return !strcmp(hd_kind_word(a->kind), hd_kind_word(b->kind)) &&
	       (name_a && name_b ? !strcmp(name_a, name_b) : name_a == name_b);
}
