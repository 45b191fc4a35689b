#include "behaviour.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- texts ---------------------------------------------------------------------- */

enum hd_err hd_text_read(struct hd_text *t, int fd, struct hd_errbuf *eb)
{
	struct stat st;

	*t = (struct hd_text){ 0 };
	if (fstat(fd, &st) != 0)
		return hd_fail(eb, HD_ERR_IO, "the program's output cannot be read: %s",
			       strerror(errno));
	t->data = malloc((size_t)st.st_size + 1);
	if (!t->data)
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory for the program's output");
	while (t->len < (size_t)st.st_size) {
		ssize_t n = pread(fd, t->data + t->len, (size_t)st.st_size - t->len, (off_t)t->len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		t->len += (size_t)n;
	}
	return HD_OK;
}

void hd_text_free(struct hd_text *t)
{
	free(t->data);
	*t = (struct hd_text){ 0 };
}

struct line {
	const char *s;
	size_t len;
};

struct lines {
	struct line *all;
	size_t n;
};

static int compare_lines(const void *left, const void *right)
{
	const struct line *a = left, *b = right;
	int order = memcmp(a->s, b->s, a->len < b->len ? a->len : b->len);

	return order ? order : a->len < b->len ? -1 : a->len > b->len;
}

static bool sort_lines(struct lines *l, const struct hd_text *t)
{
	const char *p = t->data, *end = p + t->len;
	size_t n = 0;

	for (const char *q = p; q < end; q++)
		n += *q == '\n';
	l->n = 0;
	l->all = malloc((n + 1) * sizeof(*l->all));
	while (l->all && p < end) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));

		stop = stop ? stop + 1 : end;
		l->all[l->n++] = (struct line){ p, (size_t)(stop - p) };
		p = stop;
	}
	if (l->n)
		qsort(l->all, l->n, sizeof(*l->all), compare_lines);
	return l->all != NULL;
}

/* The first line that only one of them has (as often); negative: only @a has it. */
static const struct line *odd_line(const struct lines *a, const struct lines *b, int *whose)
{
	size_t i = 0, k = 0;

	while (i < a->n || k < b->n) {
		*whose = i == a->n ? 1 : k == b->n ? -1 : compare_lines(&a->all[i], &b->all[k]);
		if (*whose)
			return *whose < 0 ? &a->all[i] : &b->all[k];
		i++;
		k++;
	}
	return NULL;
}

bool hd_text_same_lines(const struct hd_text *a, const struct hd_text *b)
{
	struct lines la = { 0 }, lb = { 0 };
	bool same = false;
	int whose;

	if (a->len == b->len && (!a->len || !memcmp(a->data, b->data, a->len)))
		return true;
	if (a->len != b->len)
		return false;
	if (sort_lines(&la, a) && sort_lines(&lb, b))
		same = !odd_line(&la, &lb, &whose);
	free(la.all);
	free(lb.all);
	return same;
}

static void copy_printable(char *buf, size_t len, const struct line *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->len && n + 4 < len && l->s[i] != '\n'; i++)
		buf[n++] = (unsigned char)l->s[i] < 32 || l->s[i] == 127 ? '?' : l->s[i];
	if (n + 4 >= len)
		n += (size_t)snprintf(buf + n, 4, "...");
	buf[n] = 0;
}

/* What is new tells more than what is missing, so that is looked for first. */
static const struct line *find_odd(const struct lines *is, const struct lines *was, bool *missing)
{
	size_t i = 0, k = 0;
	const struct line *gone = NULL;

	*missing = false;
	while (i < is->n || k < was->n) {
		int order = i == is->n	  ? 1
			    : k == was->n ? -1
					  : compare_lines(&is->all[i], &was->all[k]);

		if (order < 0)
			return &is->all[i];
		if (order > 0 && !gone)
			gone = &was->all[k];
		i += order <= 0;
		k += order >= 0;
	}
	*missing = gone != NULL;
	return gone;
}

bool hd_text_odd_line(const struct hd_text *is, const struct hd_text *was, char *buf, size_t len,
		      bool *missing)
{
	struct lines a = { 0 }, b = { 0 };
	const struct line *odd = NULL;

	if (sort_lines(&a, is) && sort_lines(&b, was))
		odd = find_odd(&a, &b, missing);
	if (odd)
		copy_printable(buf, len, odd);
	free(a.all);
	free(b.all);
	return odd != NULL;
}

static void append(struct hd_text *t, const struct line *l)
{
	memcpy(t->data + t->len, l->s, l->len);
	t->len += l->len;
}

/* The lines that both have, as often as both do; none if there is no memory. */
static struct hd_text common_lines(const struct hd_text *a, const struct hd_text *b)
{
	struct lines la = { 0 }, lb = { 0 };
	struct hd_text out = { .data = malloc(a->len + 1) };
	const struct line *open = NULL; /* the last line, without its end */
	bool sorted = out.data && sort_lines(&la, a) && sort_lines(&lb, b);
	size_t i = 0, k = 0;

	while (sorted && i < la.n && k < lb.n) {
		const struct line *l = &la.all[i];
		int order = compare_lines(l, &lb.all[k]);

		if (!order && l->s[l->len - 1] != '\n')
			open = l;
		else if (!order)
			append(&out, l);
		i += order <= 0;
		k += order >= 0;
	}
	if (open)
		append(&out, open);
	free(la.all);
	free(lb.all);
	return out;
}

/* ---- what is normal --------------------------------------------------------------- */

void hd_behaviour_free(struct hd_behaviour *b)
{
	for (int i = 0; i < HD_STREAMS; i++)
		hd_text_free(&b->text[i]);
}

static bool ends_alike(const struct hd_behaviour *a, const struct hd_behaviour *b)
{
	return a->bad == b->bad && (!a->bad || (a->exited == b->exited && a->code == b->code));
}

/* All orderly runs have only those of @lines in common that the ones before have. */
static void keep_steady(struct hd_normal *n, enum hd_stream s, const struct hd_text *lines)
{
	const struct hd_text *was = n->orderly_varies[s] ? &n->steady[s] : &n->usual.text[s];
	struct hd_text both = common_lines(was, lines);

	hd_text_free(&n->steady[s]);
	n->steady[s] = both;
	n->orderly_varies[s] = n->text_varies[s] = true;
}

void hd_normal_add_again(struct hd_normal *n, enum hd_stream s, const struct hd_text *a,
			 const struct hd_text *b)
{
	if (hd_text_same_lines(a, b))
		return;
	hd_text_free(&n->steady[s]);
	n->steady[s] = common_lines(a, b);
	n->orderly_varies[s] = n->text_varies[s] = true;
}

void hd_normal_add(struct hd_normal *n, struct hd_behaviour *b, bool orderly)
{
	if (orderly && (!n->runs || b->bad < n->bad))
		n->bad = b->bad;
	if (!n->runs++) {
		n->usual = *b;
		*b = (struct hd_behaviour){ 0 };
		for (int i = 0; i < HD_STREAMS; i++) {
			if (n->orderly_varies[i])
				keep_steady(n, i, &n->usual.text[i]);
		}
		return;
	}
	if (!ends_alike(&n->usual, b)) {
		n->exit_varies |= orderly;
		n->failed++;
	} else {
		for (int i = 0; i < HD_STREAMS; i++) {
			if (hd_text_same_lines(&n->usual.text[i], &b->text[i]))
				continue;
			n->text_varies[i] = true;
			if (orderly)
				keep_steady(n, i, &b->text[i]);
		}
	}
	hd_behaviour_free(b);
	*b = (struct hd_behaviour){ 0 };
}

static bool copy_text(struct hd_text *to, const struct hd_text *from)
{
	*to = (struct hd_text){ .data = malloc(from->len + 1), .len = from->len };
	if (to->data && from->len)
		memcpy(to->data, from->data, from->len);
	return to->data != NULL;
}

bool hd_normal_copy(struct hd_normal *to, const struct hd_normal *from)
{
	bool ok = true;

	*to = *from;
	for (int i = 0; i < HD_STREAMS; i++) {
		ok &= copy_text(&to->usual.text[i], &from->usual.text[i]);
		ok &= copy_text(&to->steady[i], &from->steady[i]);
	}
	if (!ok)
		hd_normal_free(to);
	return ok;
}

void hd_normal_free(struct hd_normal *n)
{
	hd_behaviour_free(&n->usual);
	for (int i = 0; i < HD_STREAMS; i++)
		hd_text_free(&n->steady[i]);
	*n = (struct hd_normal){ 0 };
}

static void put_end(char *buf, size_t len, const struct hd_behaviour *b)
{
	const char *name = b->exited ? NULL : sigabbrev_np(b->code);

	if (b->exited == 1)
		snprintf(buf, len, "exit status %d", b->code);
	else if (name)
		snprintf(buf, len, "SIG%s", name);
	else
		snprintf(buf, len, "signal %d", b->code);
}

/* It lacks a line that all orderly runs have. */
static bool lacks_steady(const struct hd_normal *n, const struct hd_behaviour *b, enum hd_stream s,
			 char *why, size_t len)
{
	const char *name = s == HD_STDOUT ? "standard output" : "standard error";
	struct hd_text both = common_lines(&n->steady[s], &b->text[s]);
	bool lacks = both.data && both.len < n->steady[s].len, missing;
	char line[160];

	if (lacks && hd_text_odd_line(&n->steady[s], &both, line, sizeof(line), &missing))
		snprintf(why, len, "%s lacks the line '%s', which every orderly run has", name,
			 line);
	hd_text_free(&both);
	return lacks;
}

/* @runs: those that have nothing else. */
static bool departs_in_text(const struct hd_normal *n, const struct hd_behaviour *b,
			    enum hd_stream s, const char *runs, char *why, size_t len)
{
	const char *name = s == HD_STDOUT ? "standard output" : "standard error";
	bool missing;
	char line[160];

	if (hd_text_same_lines(&b->text[s], &n->usual.text[s]))
		return false;
	if (!hd_text_odd_line(&b->text[s], &n->usual.text[s], line, sizeof(line), &missing))
		return false;
	snprintf(why, len,
		 missing ? "%s lacks the line '%s', which every %s run has"
			 : "%s has the line '%s', which no %s run has",
		 name, line, runs);
	return true;
}

enum hd_departure hd_normal_departure(const struct hd_normal *n, const struct hd_behaviour *b,
				      char *why, size_t len)
{
	char is[64], was[64];

	if (b->oracle > 0) {
		snprintf(why, len, "the oracle's status is %d", b->oracle);
		return HD_DEPART_ORACLE;
	}
	if (b->exited < 0 || !n->runs)
		return HD_DEPART_NONE;
	if (!ends_alike(&n->usual, b)) {
		if (n->exit_varies || b->bad <= n->bad)
			return HD_DEPART_NONE;
		put_end(is, sizeof(is), b);
		put_end(was, sizeof(was), &n->usual);
		snprintf(why, len, "the program ends with %s, in ordinary runs with %s", is, was);
		return HD_DEPART_EXIT;
	}
	for (int i = 0; i < HD_STREAMS; i++) {
		if (!n->text_varies[i] && departs_in_text(n, b, i, "ordinary", why, len))
			return HD_DEPART_OUTPUT;
	}
	return HD_DEPART_NONE;
}

bool hd_normal_is_odd(const struct hd_normal *n, const struct hd_behaviour *b, char *why,
		      size_t len)
{
	if (b->oracle > 0 || b->exited < 0 || !n->runs || !ends_alike(&n->usual, b))
		return false;
	for (int i = 0; i < HD_STREAMS; i++) {
		if (n->orderly_varies[i] ? lacks_steady(n, b, i, why, len)
					 : departs_in_text(n, b, i, "orderly", why, len))
			return true;
	}
	return false;
}
