#include "omp_pragmas.h"

#include "omp_lines.h"
#include "omp_names.h"
#include "omp_tests.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As in openmp/omp_loop.c. */
#define NOT_ORDERED "0x4000000000000000"
#define WHOLE	    "0x2000000000000000"
#define CONCURRENT  "0x0400000000000000"
/* As in openmp/omp_rt.h: so many threads, and not because of an `if`. */
#define EXACTLY "0x40000000"
/* As in openmp/omp_lanes.c. */
#define UNORDERED "-1ul"

/* ---- a text that grows ----------------------------------------------------------------------- */

struct out {
	char *text;
	size_t len, room;
	bool failed;
};

static void put(struct out *o, const char *s, size_t n)
{
	if (o->failed)
		return;
	if (o->len + n > o->room) {
		size_t room = 2 * (o->len + n) + 256;
		char *more = realloc(o->text, room);

		if (!more) {
			o->failed = true;
			return;
		}
		o->text = more;
		o->room = room;
	}
	memcpy(o->text + o->len, s, n);
	o->len += n;
}

static void put_text(struct out *o, const char *s)
{
	put(o, s, strlen(s));
}

/* ---- a pragma's words -------------------------------------------------------------------------- */

struct word {
	const char *at;
	size_t len;	  /* of the name */
	const char *args; /* after the bracket; NULL: has none */
	size_t nargs;	  /* up to the closing one */
	const char *end;  /* of all of it */
};

static bool is(const struct word *w, const char *name)
{
	return w->len == strlen(name) && !memcmp(w->at, name, w->len);
}

/* The word at or after @p; false: there is none before @end, or it is not understood. */
static bool next_word(const char *p, const char *end, struct word *w)
{
	const char *q;
	int depth = 1;

	while (p < end && (isspace((unsigned char)*p) || *p == ','))
		p++;
	for (q = p; q < end && (isalnum((unsigned char)*q) || *q == '_'); q++)
		;
	if (q == p)
		return false;
	*w = (struct word){ .at = p, .len = (size_t)(q - p), .end = q };
	while (q < end && isspace((unsigned char)*q))
		q++;
	if (q == end || *q != '(')
		return true;
	w->args = ++q;
	for (; q < end && depth; q++) {
		if (*q == '"' || *q == '\'') {
			char quote = *q;

			for (q++; q < end && *q != quote; q++)
				q += *q == '\\';
		} else {
			depth += (*q == '(') - (*q == ')');
		}
	}
	if (depth)
		return false;
	w->nargs = (size_t)(q - 1 - w->args);
	w->end = q;
	return true;
}

static bool names_construct(const struct word *w)
{
	static const char *const names[] = { "parallel", "for",	     "simd",	 "distribute",
					     "teams",	 "target",   "taskloop", "masked",
					     "master",	 "sections", "loop",	 "single",
					     "task",	 NULL };

	for (int i = 0; !w->args && names[i]; i++) {
		if (is(w, names[i]))
			return true;
	}
	return false;
}

struct pragma {
	bool has_for, has_simd, has_distribute, has_taskloop;
	bool has_parallel, has_loop, has_teams, has_task;
	bool ordered, inscan;
	bool only_simd;
	struct word innermost; /* construct */
	struct word bind;
	struct word schedule, priority; /* len 0: none */
	struct word safelen, collapse;
	struct word threads;
	bool if_parallel;    /* an `if` clause decides whether there are several threads ... */
	bool if_never;	     /* ... and says that there are not */
	const char *clauses; /* where they begin */
};

static bool contains_word(const char *s, size_t n, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i + len <= n; i++) {
		if (!memcmp(s + i, name, len) &&
		    (i + len == n || !isalnum((unsigned char)s[i + len])) &&
		    (i == 0 || !isalnum((unsigned char)s[i - 1])))
			return true;
	}
	return false;
}

/* A clause `if`, with its modifier if it has one. */
static void read_if(struct pragma *out, const struct word *w)
{
	const char *p = w->args, *end = p + w->nargs;
	const char *colon = memchr(p, ':', w->nargs);
	struct word modifier;
	bool is_never;

	if (colon && colon[1] != ':' && next_word(p, colon, &modifier) &&
	    names_construct(&modifier)) {
		if (!is(&modifier, "parallel"))
			return;
		p = colon + 1;
	}
	while (p < end && isspace((unsigned char)*p))
		p++;
	while (p < end && isspace((unsigned char)end[-1]))
		end--;
	is_never = (end - p == 1 && *p == '0') || (end - p == 5 && !memcmp(p, "false", 5));
	out->if_parallel |= !is_never;
	out->if_never |= is_never;
}

/* A whole number, as it is written, but not 1. */
static bool is_several(const struct word *w)
{
	size_t digits = 0;

	while (digits < w->nargs && isdigit((unsigned char)w->args[digits]))
		digits++;
	return digits == w->nargs && !(digits == 1 && *w->args == '1');
}

/* Is the number of threads known to be what the program has there? */
static bool is_exact(const struct pragma *pr)
{
	if (!pr->has_parallel || pr->if_parallel)
		return false;
	if (pr->if_never) /* what else it is about is not looked at */
		return !pr->has_task && !pr->has_taskloop && !pr->has_simd;
	return pr->threads.args && !is_several(&pr->threads);
}

static void read_pragma(const char *p, const char *end, struct pragma *out)
{
	struct word w;

	*out = (struct pragma){ .clauses = p };
	out->only_simd = next_word(p, end, &w) && is(&w, "simd") &&
			 !(next_word(w.end, end, &w) && names_construct(&w));
	while (next_word(p, end, &w) && names_construct(&w)) {
		out->has_for |= is(&w, "for");
		out->has_simd |= is(&w, "simd");
		out->has_distribute |= is(&w, "distribute");
		out->has_taskloop |= is(&w, "taskloop");
		out->has_parallel |= is(&w, "parallel");
		out->has_loop |= is(&w, "loop");
		out->has_teams |= is(&w, "teams");
		out->has_task |= is(&w, "task");
		out->innermost = w;
		p = out->clauses = w.end;
	}
	while (next_word(p, end, &w)) {
		if (is(&w, "ordered"))
			out->ordered = true;
		if (is(&w, "schedule"))
			out->schedule = w;
		if (is(&w, "priority"))
			out->priority = w;
		if (is(&w, "safelen"))
			out->safelen = w;
		if (is(&w, "collapse"))
			out->collapse = w;
		if (is(&w, "bind"))
			out->bind = w;
		if (is(&w, "num_threads"))
			out->threads = w;
		if (is(&w, "if") && w.args)
			read_if(out, &w);
		if (is(&w, "reduction") && contains_word(w.args ? w.args : "", w.nargs, "inscan"))
			out->inscan = true;
		p = w.end;
	}
}

/* After "#pragma omp" in the line from @line; NULL: it is no such line. */
static const char *omp_line(const char *line, const char *end)
{
	const char *p = line;
	struct word w;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (p == end || *p != '#')
		return NULL;
	if (!next_word(p + 1, end, &w) || !is(&w, "pragma"))
		return NULL;
	if (!next_word(w.end, end, &w) || !is(&w, "omp"))
		return NULL;
	return w.end;
}

/* ---- what becomes of it -------------------------------------------------------------------------- */

/* The kind of a schedule clause, by its first letter, and its chunk size; 0: not understood. */
static char schedule_kind(const struct word *w, const char **chunk, size_t *nchunk)
{
	const char *p = w->args, *end, *colon;
	struct word kind;

	*chunk = NULL;
	*nchunk = 0;
	if (!p)
		return 0;
	end = p + w->nargs;
	colon = memchr(p, ':', w->nargs);
	if (colon && colon < end && !(colon + 1 < end && colon[1] == ':'))
		p = colon + 1;
	if (!next_word(p, end, &kind))
		return 0;
	p = kind.end;
	while (p < end && isspace((unsigned char)*p))
		p++;
	if (p < end && *p == ',') {
		*chunk = p + 1;
		*nchunk = (size_t)(end - p - 1);
	}
	return is(&kind, "static") || is(&kind, "auto") || is(&kind, "dynamic") ||
			       is(&kind, "guided")
		       ? kind.at[0]
		       : 0;
}

/* Clauses that only make sense with simd, and those that the new schedule does not allow. */
static bool goes_away(const struct word *w, bool simd, bool reschedule)
{
	static const char *const of_simd[] = { "simdlen", "safelen", "aligned", "nontemporal",
					       NULL };

	for (int i = 0; simd && of_simd[i]; i++) {
		if (is(w, of_simd[i]))
			return true;
	}
	if (simd && is(w, "if") && w->args && contains_word(w->args, w->nargs, "simd") &&
	    memchr(w->args, ':', w->nargs))
		return true;
	return reschedule && (is(w, "schedule") || is(w, "order") || is(w, "bind"));
}

static void put_threads(struct out *o, const struct pragma *pr)
{
	put_text(o, " num_threads(" EXACTLY "|");
	if (pr->if_never) {
		put_text(o, "1)");
		return;
	}
	put_text(o, "(");
	put(o, pr->threads.args, pr->threads.nargs);
	put_text(o, "))");
}

static void put_clauses(struct out *o, const struct pragma *pr, const char *end, bool simd,
			bool reschedule)
{
	bool exact = is_exact(pr);
	const char *p = pr->clauses;
	struct word w;

	if (exact)
		put_threads(o, pr);
	while (next_word(p, end, &w)) {
		if (!goes_away(&w, simd, reschedule) &&
		    !(exact && (is(&w, "num_threads") || (pr->if_never && is(&w, "if"))))) {
			put_text(o, " ");
			put(o, w.at, (size_t)(w.end - w.at));
		}
		p = w.end;
	}
	put_text(o, " ");
	put(o, p, (size_t)(end - p)); /* what was not understood */
}

/* How a loop is to be given out, and what the runtime is to know of it. */
struct schedule {
	char kind;	   /* s, d or g */
	const char *chunk; /* NULL: none */
	size_t nchunk;
	bool cancels, whole;
	bool concurrent; /* iterations of one thread are, too */
};

/* A part of the chunk size; returns what stands before the next one. */
static const char *put_flag(struct out *o, const char *before, bool is_set, const char *flag)
{
	if (!is_set)
		return before;
	put_text(o, before);
	put_text(o, flag);
	return "+";
}

static void put_schedule(struct out *o, const struct pragma *pr, const struct schedule *s)
{
	bool inlined = s->kind == 's' && !pr->has_distribute; /* as it is */
	const char *before = ",";

	put_text(o, inlined && !s->cancels ? " ordered schedule(static"
		    : s->kind == 'g'	   ? " schedule(guided"
					   : " schedule(dynamic");
	before = put_flag(o, before, inlined, NOT_ORDERED);
	before = put_flag(o, before, s->whole, WHOLE);
	before = put_flag(o, before, s->concurrent, CONCURRENT);
	if (s->chunk) {
		put_text(o, before);
		put_text(o, "(");
		put(o, s->chunk, s->nchunk);
		put_text(o, ")");
	} else if ((s->whole || s->concurrent) && !inlined) {
		put_text(o, "+1");
	}
	put_text(o, ")");
}

/* ---- shared variables of tasks ------------------------------------------------------------------------ */

/*
 * gcc copies a shared variable that a task only reads when the task is made, so that the read is
 * not where the program has it. Not if the variable's address is taken somewhere: here, in
 * the expression of a clause that changes nothing.
 */
static void put_address(void *arg, const char *name, size_t len)
{
	struct out *o = arg;

	put_text(o, "+sizeof(&");
	put(o, name, len);
	put_text(o, ")");
}

static void put_shared(struct out *o, const char *p, const char *end)
{
	struct word w, name;

	for (; next_word(p, end, &w); p = w.end) {
		const char *q = w.args;

		while (is(&w, "shared") && q && next_word(q, w.args + w.nargs, &name)) {
			put_address(o, name.at, name.len);
			q = name.end;
		}
	}
}

/* True: there is one. */
static bool put_addresses(struct out *o, const struct pragma *pr, const char *end,
			  const struct hd_omp_names *names, const char *text_end, bool guess)
{
	size_t before = o->len, none;

	put_text(o, " priority(");
	if (pr->priority.args) {
		put_text(o, "(");
		put(o, pr->priority.args, pr->priority.nargs);
		put_text(o, ")+");
	}
	put_text(o, "(0*(0");
	none = o->len;
	put_shared(o, pr->clauses, end);
	if (guess)
		hd_omp_names_used(names, end, hd_omp_statement_end(end, text_end), put_address, o);
	if (o->len == none) {
		o->len = before;
		return false;
	}
	put_text(o, ")))");
	return true;
}

static bool rewrite_task(struct out *o, const char *p, const char *end, const struct pragma *pr,
			 bool drop_simd, const struct hd_omp_names *names, const char *text_end,
			 bool guess)
{
	struct out more = { 0 };
	bool any = put_addresses(&more, pr, end, names, text_end, guess);
	struct word w;

	o->failed |= more.failed;
	if (any || drop_simd) {
		for (; next_word(p, end, &w) && names_construct(&w); p = w.end) {
			put_text(o, " ");
			if (!drop_simd || !is(&w, "simd"))
				put(o, w.at, w.len);
		}
		for (p = pr->clauses; next_word(p, end, &w); p = w.end) {
			if (goes_away(&w, drop_simd, false) || (any && is(&w, "priority")))
				continue;
			put_text(o, " ");
			put(o, w.at, (size_t)(w.end - w.at));
		}
		put_text(o, " ");
		put(o, p, (size_t)(end - p));
		if (any)
			put(o, more.text, more.len);
	}
	free(more.text);
	return any || drop_simd;
}

/* ---- the source ---------------------------------------------------------------------------------------- */

/* Text that goes into a later line. */
struct insertion {
	const char *at;
	const char *text;
};

#define OPEN_MAX 16u

/* A construct that goes on. */
struct open_construct {
	const char *end;
	struct word innermost;
};

/* The whole source, and how far it has been read. */
struct source {
	const char *text, *end;
	bool cancels, guess;
	bool unheeded; /* a call got another name */
	struct hd_omp_names names;
	struct insertion insertions[5];
	unsigned ninsertions;
	struct open_construct open[OPEN_MAX]; /* the outermost ones first */
	unsigned nopen;
	const char *file; /* of the last line marker, with its quotes; NULL: none yet */
	size_t nfile;
	unsigned long number; /* of the line that is read */
};

/* ---- what a loop construct binds to ------------------------------------------------------------------------ */

enum binding { BINDS_UNKNOWN, BINDS_THREAD, BINDS_PARALLEL, BINDS_TEAMS };

/* As gcc has it: by its clause, or by the construct that it is closely nested in. */
static enum binding binding_of(const struct pragma *pr, const struct source *src)
{
	const struct word *around = src->nopen ? &src->open[src->nopen - 1].innermost : NULL;
	const char *args = pr->bind.args ? pr->bind.args : "";

	if (!pr->has_loop)
		return BINDS_UNKNOWN;
	if (pr->has_teams || contains_word(args, pr->bind.nargs, "teams"))
		return BINDS_TEAMS;
	if (pr->has_parallel || contains_word(args, pr->bind.nargs, "parallel"))
		return BINDS_PARALLEL;
	if (contains_word(args, pr->bind.nargs, "thread"))
		return BINDS_THREAD;
	if (!around || pr->bind.len)
		return BINDS_UNKNOWN;
	if (is(around, "teams"))
		return BINDS_TEAMS;
	if (is(around, "parallel"))
		return BINDS_PARALLEL;
	return is(around, "for") || is(around, "loop") || is(around, "distribute") ||
			       is(around, "taskloop") || is(around, "simd") || is(around, "task")
		       ? BINDS_THREAD
		       : BINDS_UNKNOWN;
}

static void close_constructs(struct source *src, const char *line)
{
	while (src->nopen && src->open[src->nopen - 1].end <= line)
		src->nopen--;
}

/* The pragma whose words are at @p opens a construct for the statement behind it. */
static void open_construct(struct source *src, const char *p, const char *stop)
{
	struct pragma pr;

	read_pragma(p, stop, &pr);
	if (pr.innermost.len && src->nopen < OPEN_MAX)
		src->open[src->nopen++] =
			(struct open_construct){ hd_omp_statement_end(stop, src->end),
						 pr.innermost };
}

/* ---- lanes ----------------------------------------------------------------------------------------------- */

struct sharing {
	struct out *o;
	const char *p, *end; /* the pragma's words */
	const char *loops, *body;
};

static bool is_named(const char *p, const char *end, const char *name, size_t len)
{
	struct word w;

	for (; p < end; p++) {
		if (!next_word(p, end, &w))
			continue;
		if (w.len == len && !memcmp(w.at, name, len))
			return true;
		p = w.at + w.len - 1;
	}
	return false;
}

/* Is it each lane's own: by a clause, or as the variable of a loop? */
static bool is_of_lane(const struct sharing *s, const char *name, size_t len)
{
	static const char *const clauses[] = { "private", "lastprivate", "linear", "reduction",
					       NULL };
	const char *semicolon;
	struct word w;

	for (const char *p = s->p; next_word(p, s->end, &w); p = w.end) {
		for (int i = 0; clauses[i] && w.args; i++) {
			if (is(&w, clauses[i]) && is_named(w.args, w.args + w.nargs, name, len))
				return true;
		}
	}
	for (const char *p = s->loops; p && p < s->body;
	     p = memchr(p, '(', (size_t)(s->body - p))) {
		semicolon = memchr(p, ';', (size_t)(s->body - p));
		if (is_named(p, semicolon ? semicolon : p, name, len))
			return true;
		p++;
	}
	return false;
}

static void put_sharing(void *arg, const char *name, size_t len)
{
	struct sharing *s = arg;

	if (is_of_lane(s, name, len))
		return;
	put_text(s->o, " hd_omp_lanes_share(&");
	put(s->o, name, len);
	put_text(s->o, ", sizeof(");
	put(s->o, name, len);
	put_text(s->o, "));");
}

static void put_line_marker(struct out *o, const struct source *src)
{
	char number[32];

	put(o, number, (size_t)snprintf(number, sizeof(number), "# %lu ", src->number));
	put(o, src->file, src->nfile);
	put_text(o, "\n");
}

/*
 * A loop with `simd` alone, or `loop` that binds to its thread: what it shares of its function's variables, where it begins and ends, and
 * where each lane does. False: the loop is not understood.
 */
static bool put_lanes(struct out *o, const char *p, const char *end, const struct pragma *pr,
		      struct source *src)
{
	unsigned depth = pr->collapse.args ? (unsigned)strtoul(pr->collapse.args, NULL, 10) : 1;
	const char *body = hd_omp_loop_body(end, src->end, depth);
	const char *stop = body ? hd_omp_statement_end(body, src->end) : NULL;
	struct sharing s = { .o = o, .p = p, .end = end, .loops = end, .body = body };

	if (!body || !src->file || src->ninsertions || pr->inscan || pr->ordered)
		return false;
	put_line_marker(o, src);
	put_text(o, "{ hd_omp_lanes(");
	if (pr->has_loop)
		put_text(o, UNORDERED);
	else if (pr->safelen.args)
		put(o, pr->safelen.args, pr->safelen.nargs);
	else
		put_text(o, "0");
	put_text(o, ", __builtin_frame_address(0));");
	if (src->guess)
		hd_omp_names_used(&src->names, body, stop, put_sharing, &s);
	put_text(o, "\n");
	put_line_marker(o, src);
	src->insertions[0] = (struct insertion){ body, "{ hd_omp_lane(); " };
	src->insertions[1] = (struct insertion){ stop, " }" };
	src->insertions[2] =
		(struct insertion){ hd_omp_statement_end(end, src->end), " hd_omp_lanes_end(); }" };
	src->ninsertions = 3;
	return true;
}

/* The line of `#pragma omp scan` in the body from @p to @stop; NULL: none. */
static const char *scan_line(const char *p, const char *stop, const char **line_end)
{
	for (const char *line = memchr(p, '\n', (size_t)(stop - p)); line && line < stop;
	     line = memchr(line, '\n', (size_t)(stop - line))) {
		struct word w;
		const char *words;

		line++;
		*line_end = hd_omp_line_end(line, stop);
		words = omp_line(line, *line_end);
		if (words && next_word(words, *line_end, &w) && is(&w, "scan"))
			return line;
	}
	return NULL;
}

/*
 * A worksharing loop with `inscan`: gcc makes two loops of the two parts of its body, with barriers between them. The
 * runtime is told where an iteration of each begins. What asks for its thread may keep data by thread. False: the loop
 * is not understood.
 */
static bool put_scan(struct out *o, const char *end, const struct pragma *pr, struct source *src)
{
	unsigned depth = pr->collapse.args ? (unsigned)strtoul(pr->collapse.args, NULL, 10) : 1;
	const char *body = hd_omp_loop_body(end, src->end, depth), *stop, *scan, *scan_end;
	const char *lane = pr->has_parallel ? "{ hd_omp_scan_lane(1, __builtin_frame_address(0)); "
					    : "{ hd_omp_scan_lane(0, __builtin_frame_address(0)); ";

	if (!body || *body != '{' || !src->file || src->ninsertions)
		return false;
	stop = hd_omp_statement_end(body, src->end);
	scan = scan_line(body, stop, &scan_end);
	if (!scan || contains_word(body, (size_t)(stop - body), "omp_get_thread_num"))
		return false;
	src->insertions[0] = (struct insertion){ body + 1, lane };
	src->insertions[1] = (struct insertion){ hd_omp_code_before(body, scan), " }" };
	src->insertions[2] = (struct insertion){ hd_omp_next_code(scan_end, stop), lane };
	src->insertions[3] = (struct insertion){ stop - 1, " }" };
	src->ninsertions = 4;
	if (pr->has_parallel)
		return true;
	put_line_marker(o, src);
	put_text(o, "{ hd_omp_scan();\n");
	put_line_marker(o, src);
	src->insertions[4] =
		(struct insertion){ hd_omp_statement_end(end, src->end), " hd_omp_lanes_end(); }" };
	src->ninsertions = 5;
	return true;
}

/* Code as it is, but for the names of tests of locks that nobody heeds. */
static void put_code(struct out *o, struct source *src, const char *p, const char *end)
{
	const char *test;

	while ((test = hd_omp_unheeded_test(src->text, p, end, src->end))) {
		put(o, p, (size_t)(test - p));
		put_text(o, HD_OMP_UNHEEDED "o");
		src->unheeded = true;
		p = test + 1;
	}
	put(o, p, (size_t)(end - p));
}

/* A part of the source that is no pragma, with what goes into it. */
static void put_source(struct out *o, struct source *src, const char *p, const char *end)
{
	while (src->ninsertions && src->insertions[0].at < end) {
		struct insertion *first = &src->insertions[0];

		put_code(o, src, p, first->at);
		put_text(o, first->text);
		p = first->at;
		src->ninsertions--;
		memmove(first, first + 1, src->ninsertions * sizeof(*first));
	}
	put_code(o, src, p, end);
}

/* Where the next line comes from. A line of ours may be several of the source's. */
static void read_lines(struct source *src, const char *line, const char *stop)
{
	const char *first, *last;

	for (const char *p = line; p < stop; p++)
		src->number += *p == '\n';
	if (*line != '#' || stop - line < 3 || !isdigit((unsigned char)line[2]))
		return;
	first = memchr(line, '"', (size_t)(stop - line));
	last = first ? memrchr(line, '"', (size_t)(stop - line)) : NULL;
	if (!first || last == first)
		return;
	src->number = strtoul(line + 2, NULL, 10);
	src->file = first;
	src->nfile = (size_t)(last + 1 - first);
}

/* ---- a pragma ------------------------------------------------------------------------------------------ */

/* The words of the pragma at @p, after "omp"; false: leave it as it is. */
static bool rewrite(struct out *o, const char *p, const char *end, struct hd_omp_rewritten *r,
		    struct source *src)
{
	struct schedule s = { .kind = 's', .cancels = src->cancels };
	struct pragma pr;
	struct word w;
	bool reschedule, drop_simd, as_for;
	enum binding binding;

	read_pragma(p, end, &pr);
	binding = binding_of(&pr, src);
	if (pr.schedule.len)
		s.kind = schedule_kind(&pr.schedule, &s.chunk, &s.nchunk);
	if (s.kind == 'a')
		s = (struct schedule){ .kind = 's', .cancels = src->cancels };
	drop_simd =
		pr.has_simd && (pr.has_for || pr.has_taskloop || pr.has_distribute) && !pr.inscan;
	/* `loop` is a `for` where it binds to the threads of a region, and shared by teams and their threads in a league. */
	as_for = binding == BINDS_PARALLEL || binding == BINDS_TEAMS;
	pr.has_distribute |= binding == BINDS_TEAMS;
	reschedule = (pr.has_for || as_for) && s.kind && !pr.ordered && !pr.inscan;
	s.whole = reschedule && src->guess && hd_omp_names_carried(&src->names, end, src->end);
	s.concurrent = reschedule && as_for;
	reschedule &= s.kind == 's' || s.whole;
	r->simd += pr.has_simd && !drop_simd && !pr.only_simd;
	if (pr.has_parallel)
		hd_omp_names_region(&src->names);
	if ((pr.has_task || pr.has_taskloop) && !pr.has_parallel &&
	    rewrite_task(o, p, end, &pr, drop_simd, &src->names, src->end, src->guess)) {
		r->changed++;
		return true;
	}
	if (!drop_simd && !reschedule && !is_exact(&pr))
		return false;
	while (next_word(p, end, &w) && names_construct(&w)) {
		if (as_for && is(&w, "loop")) {
			put_text(o, binding == BINDS_TEAMS ? " distribute parallel for" : " for");
		} else if (!drop_simd || !is(&w, "simd")) {
			put_text(o, " ");
			put(o, w.at, w.len);
		}
		p = w.end;
	}
	put_clauses(o, &pr, end, drop_simd, reschedule);
	if (reschedule)
		put_schedule(o, &pr, &s);
	r->changed++;
	return true;
}

/* Is there a `cancel for`? It may be in any loop, and ordered ones must not be cancelled: dynamic ones are taken. */
static bool cancels_loops(const char *text, const char *end)
{
	for (const char *line = text, *stop; line < end; line = stop + 1) {
		const char *p;
		struct word w;

		stop = hd_omp_line_end(line, end);
		p = omp_line(line, stop);
		if (p && next_word(p, stop, &w) && is(&w, "cancel") && next_word(w.end, stop, &w) &&
		    is(&w, "for"))
			return true;
	}
	return false;
}

/* Before the pragma whose words are at @p. */
static void tell_lanes(struct out *o, const char *p, const char *end, struct hd_omp_rewritten *r,
		       struct source *src)
{
	struct pragma pr;

	read_pragma(p, end, &pr);
	if (pr.inscan && pr.has_for) {
		r->lanes |= put_scan(o, end, &pr, src);
		return;
	}
	if (!pr.only_simd && binding_of(&pr, src) != BINDS_THREAD)
		return;
	if (put_lanes(o, p, end, &pr, src))
		r->lanes = true;
	else
		r->simd++;
}

struct hd_omp_rewritten hd_omp_rewrite(const char *text, size_t len, bool guess)
{
	struct hd_omp_rewritten r = { 0 };
	struct out o = { 0 };
	const char *end = text + len;
	struct source src = {
		.text = text, .end = end, .cancels = cancels_loops(text, end), .guess = guess
	};

	for (const char *line = text, *next; line < end; line = next) {
		const char *stop = hd_omp_line_end(line, end), *p;

		next = stop < end ? stop + 1 : end;
		p = omp_line(line, stop);
		r.any |= p != NULL;
		close_constructs(&src, line);
		if (p) {
			size_t before;
			bool rewritten;

			tell_lanes(&o, p, stop, &r, &src);
			before = o.len;
			put(&o, line, (size_t)(p - line));
			rewritten = rewrite(&o, p, stop, &r, &src);
			open_construct(&src, p, stop);
			if (rewritten) {
				put(&o, stop, (size_t)(next - stop));
				src.number++;
				continue;
			}
			o.len = before;
		} else {
			hd_omp_names_line(&src.names, line, stop);
		}
		put_source(&o, &src, line, next);
		read_lines(&src, line, next);
	}
	o.failed |= src.names.failed;
	r.unheeded = src.unheeded;
	hd_omp_names_free(&src.names);
	if (o.failed || (!r.changed && !r.simd && !r.lanes && !r.unheeded)) {
		free(o.text);
		return r;
	}
	r.text = o.text;
	r.len = o.len;
	return r;
}
