#include "merge.h"

#include <stdlib.h>
#include <string.h>

#include "baseline.h"
#include "common/array.h"
#include "common/json_out.h"

typedef const struct hd_json_value value;

/* A part's document. */
struct part {
	struct hd_document doc;
	value *root, *part;
	const char *path;
	uint64_t number;
};

struct merge {
	struct part *parts; /* by number */
	size_t n, of;
	struct hd_json j;
};

/* ---- are they parts of one job? --------------------------------------------------------- */

static bool same_text(value *a, value *b, const char *key)
{
	const char *x = hd_json_get_text(a, key), *y = hd_json_get_text(b, key);

	return x && y && !strcmp(x, y);
}

static enum hd_err check_alike(const struct part *a, const struct part *b, struct hd_errbuf *eb)
{
	const char *differ = NULL;

	if (!same_text(a->part, b->part, "heddle"))
		differ = "by different versions of heddle";
	else if (!same_text(a->root, b->root, "command"))
		differ = "by different commands";
	else if (!same_text(a->part, b->part, "program"))
		differ = "of different programs, arguments or input";
	else if (!same_text(a->part, b->part, "options"))
		differ = "with different options";
	else if (hd_json_get_number(a->part, "of") != hd_json_get_number(b->part, "of"))
		differ = "for different numbers of parts";
	if (differ)
		return hd_fail(eb, HD_ERR_REQUEST, "'%s' and '%s' were made %s", a->path, b->path,
			       differ);
	if (a->number == b->number)
		return hd_fail(eb, HD_ERR_REQUEST, "'%s' and '%s' are both part %llu", a->path,
			       b->path, (unsigned long long)a->number);
	return HD_OK;
}

static int by_number(const void *left, const void *right)
{
	const struct part *a = left, *b = right;

	return a->number < b->number ? -1 : a->number > b->number;
}

static enum hd_err load(struct part *p, const char *path, struct hd_errbuf *eb)
{
	enum hd_err err = hd_document_load(&p->doc, path, eb);

	if (err)
		return err;
	p->path = path;
	p->root = p->doc.root;
	p->part = hd_json_get(p->root, "part");
	p->number = hd_json_get_number(p->part, "number");
	if (!p->number || p->number > hd_json_get_number(p->part, "of"))
		return hd_fail(eb, HD_ERR_REQUEST, "'%s' is no part: it was made without --part",
			       path);
	return HD_OK;
}

static enum hd_err load_all(struct merge *m, const char *const *paths, size_t n,
			    struct hd_errbuf *eb)
{
	enum hd_err err = HD_OK;

	m->parts = calloc(n + 1, sizeof(*m->parts));
	if (!m->parts)
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < n && !err; i++) {
		err = load(&m->parts[i], paths[i], eb);
		m->n = i + 1;
	}
	if (err)
		return err;
	qsort(m->parts, m->n, sizeof(*m->parts), by_number);
	for (size_t i = 1; i < m->n && !err; i++)
		err = check_alike(&m->parts[i - 1], &m->parts[i], eb);
	m->of = hd_json_get_number(m->parts[0].part, "of");
	return err;
}

/* ---- is it complete? ---------------------------------------------------------------------- */

/* Were all dealt out in one way? A part that was not split has everything in it, so it goes with any. */
static bool split_alike(const struct merge *m)
{
	const struct part *first = NULL;

	for (size_t i = 0; i < m->n; i++) {
		const struct part *p = &m->parts[i];

		if (hd_json_get_bool(p->part, "whole"))
			continue;
		if (first && !same_text(first->part, p->part, "split"))
			return false;
		first = first ? first : p;
	}
	return true;
}

/* Why it is not, as in stats.stopped; NULL: it is. */
static const char *why_stopped(const struct merge *m)
{
	for (size_t i = 0; i < m->n; i++) {
		const char *why = hd_document_stopped(&m->parts[i].doc);

		if (!hd_json_get_bool(m->parts[i].part, "complete"))
			return why && strcmp(why, "part") ? why : "unfinished";
	}
	return m->n < m->of || !split_alike(m) ? "parts" : NULL;
}

/* ---- writing ---------------------------------------------------------------------------------- */

static void copy(struct hd_json *j, const char *key, value *v)
{
	switch (v->kind) {
	case HD_JSON_NULL:
		hd_json_null(j, key);
		return;
	case HD_JSON_BOOL:
		hd_json_bool(j, key, v->yes);
		return;
	case HD_JSON_STRING:
		hd_json_str(j, key, v->text);
		return;
	case HD_JSON_NUMBER:
		if (strpbrk(v->text, ".eE"))
			hd_json_real(j, key, strtod(v->text, NULL));
		else if (*v->text == '-')
			hd_json_int(j, key, strtoll(v->text, NULL, 10));
		else
			hd_json_uint(j, key, strtoull(v->text, NULL, 10));
		return;
	case HD_JSON_ARRAY:
	case HD_JSON_OBJECT:
		hd_json_open(j, key, v->kind == HD_JSON_ARRAY ? '[' : '{');
		for (value *i = v->first; i; i = i->next)
			copy(j, i->key, i);
		hd_json_close(j, v->kind == HD_JSON_ARRAY ? ']' : '}');
	}
}

static bool has_id(value *list, value *until, const char *id)
{
	for (value *f = list; f && f != until; f = f->next) {
		const char *own = hd_json_get_text(f, "id");

		if (own && !strcmp(own, id))
			return true;
	}
	return false;
}

/* Is @f of part @i told already, in this list or, of a candidate, as a finding of any part? */
static bool is_told(const struct merge *m, const char *list, size_t i, value *f)
{
	const char *id = hd_json_get_text(f, "id");

	if (!id || has_id(hd_json_items(m->parts[i].root, list), f, id))
		return id;
	for (size_t k = 0; k < m->n; k++) {
		value *root = m->parts[k].root;

		if (strcmp(list, "findings") && has_id(hd_json_items(root, "findings"), NULL, id))
			return true;
		if (k < i && has_id(hd_json_items(root, list), NULL, id))
			return true;
	}
	return false;
}

/* What the merged list has: written, if @j is there, and counted if @counts says so. */
static uint64_t put_findings(struct merge *m, const char *list, struct hd_json *j,
			     const char *counts)
{
	uint64_t n = 0;

	if (j)
		hd_json_open(j, list, '[');
	for (size_t i = 0; i < m->n; i++) {
		for (value *f = hd_json_items(m->parts[i].root, list); f; f = f->next) {
			if (is_told(m, list, i, f))
				continue;
			n += !counts || hd_json_get_bool(f, counts);
			if (j)
				copy(j, NULL, f);
		}
	}
	if (j)
		hd_json_close(j, ']');
	return n;
}

/* All items of all parts. */
static void put_all(struct merge *m, const char *key)
{
	hd_json_open(&m->j, key, '[');
	for (size_t i = 0; i < m->n; i++) {
		for (value *v = hd_json_items(m->parts[i].root, key); v; v = v->next)
			copy(&m->j, NULL, v);
	}
	hd_json_close(&m->j, ']');
}

static bool has_text(value *root, const char *key, const char *text)
{
	for (value *v = hd_json_items(root, key); v; v = v->next) {
		if (v->kind == HD_JSON_STRING && !strcmp(v->text, text))
			return true;
	}
	return false;
}

/* In how many parts is it, and is @i the first of them? */
static size_t count_text(const struct merge *m, const char *key, const char *text, size_t i,
			 bool *first)
{
	size_t n = 0;

	*first = true;
	for (size_t k = 0; k < m->n; k++) {
		bool has = has_text(m->parts[k].root, key, text);

		n += has;
		*first &= !has || k >= i;
	}
	return n;
}

/* Texts of all parts; @named: those that not all have are told with the part's number. */
static void put_texts(struct merge *m, const char *key, bool named)
{
	for (size_t i = 0; i < m->n; i++) {
		for (value *v = hd_json_items(m->parts[i].root, key); v; v = v->next) {
			bool first;
			char *text = NULL;
			size_t n;

			if (v->kind != HD_JSON_STRING)
				continue;
			n = count_text(m, key, v->text, i, &first);
			if (named && n < m->n && strncmp(v->text, "part ", 5) != 0 &&
			    asprintf(&text, "part %llu: %s", (unsigned long long)m->parts[i].number,
				     v->text) >= 0)
				hd_json_str(&m->j, NULL, text);
			else if (first)
				hd_json_str(&m->j, NULL, v->text);
			free(text);
		}
	}
}

static void put_missing(struct merge *m)
{
	char *text = NULL;
	size_t len, k = 0, told = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return;
	fprintf(out, "not a proof: missing of %zu parts:", m->of);
	for (size_t i = 1; i <= m->of && told < 20; i++) {
		if (k < m->n && m->parts[k].number == i)
			k++;
		else
			fprintf(out, "%s %zu", told++ ? "," : "", i);
	}
	if (told < m->of - m->n)
		fputs(", ...", out);
	if (fclose(out) == 0)
		hd_json_str(&m->j, NULL, text);
	free(text);
}

static void put_notes(struct merge *m)
{
	hd_json_open(&m->j, "notes", '[');
	if (m->n < m->of)
		put_missing(m);
	if (!split_alike(m))
		hd_json_str(&m->j, NULL,
			    "not a proof: the program did not do the same in all parts, so the "
			    "search was not dealt out alike");
	if (!why_stopped(m) && m->of > 1)
		hd_json_str(&m->j, NULL,
			    "complete: all parts are there, and each is complete; what that holds "
			    "for, each says");
	put_texts(m, "notes", true);
	hd_json_close(&m->j, ']');
}

/* ---- numbers -------------------------------------------------------------------------------- */

enum rule { OF_FIRST, SUM, MOST };

static enum rule rule_of(const char *key)
{
	static const struct {
		const char *key;
		enum rule rule;
	} rules[] = {
		{ "executions", SUM },	{ "assumed", SUM },    { "states", SUM },
		{ "transitions", SUM }, { "candidates", SUM }, { "tried", SUM },
		{ "partly", SUM },	{ "runs", SUM },       { "search", SUM },
		{ "redundant", SUM },	{ "matched", SUM },    { "cut", SUM },
		{ "conflicts", SUM },	{ "bounded", SUM },    { "pct", SUM },
		{ "simpler", SUM },	{ "rounds", MOST },    { "depth", MOST },
		{ "seconds", MOST },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (!strcmp(rules[i].key, key))
			return rules[i].rule;
	}
	return OF_FIRST;
}

/* The same member of part @i as @path says: two keys, the second may be NULL. */
static value *member(const struct merge *m, size_t i, const char *object, const char *key)
{
	value *stats = hd_json_get(m->parts[i].root, "stats");

	return hd_json_get(object ? hd_json_get(stats, object) : stats, key);
}

static void put_number(struct merge *m, const char *object, value *first, enum rule rule)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < m->n; i++) {
		value *v = member(m, i, object, first->key);
		uint64_t n = v && v->kind == HD_JSON_NUMBER ? strtoull(v->text, NULL, 10) : 0;

		sum = rule == SUM ? sum + n : n > sum ? n : sum;
	}
	hd_json_uint(&m->j, first->key, sum);
}

static void put_seconds(struct merge *m)
{
	double most = 0;

	for (size_t i = 0; i < m->n; i++) {
		value *v = member(m, i, NULL, "seconds");
		double s = v && v->kind == HD_JSON_NUMBER ? strtod(v->text, NULL) : 0;

		most = s > most ? s : most;
	}
	hd_json_real(&m->j, "seconds", most);
}

static void put_object(struct merge *m, value *object)
{
	hd_json_open(&m->j, object->key, '{');
	for (value *v = object->first; v; v = v->next) {
		enum rule rule = rule_of(v->key);

		if (v->kind == HD_JSON_NUMBER && rule != OF_FIRST)
			put_number(m, object->key, v, rule);
		else
			copy(&m->j, v->key, v);
	}
	hd_json_close(&m->j, '}');
}

static void put_stats(struct merge *m, value *stats)
{
	const char *stopped = why_stopped(m);

	hd_json_open(&m->j, "stats", '{');
	for (value *v = stats->first; v; v = v->next) {
		enum rule rule = rule_of(v->key);

		if (!strcmp(v->key, "complete"))
			hd_json_bool(&m->j, v->key, !stopped);
		else if (!strcmp(v->key, "stopped"))
			hd_json_str(&m->j, v->key, stopped);
		else if (!strcmp(v->key, "known") || !strcmp(v->key, "tolerated"))
			hd_json_uint(&m->j, v->key, put_findings(m, "findings", NULL, v->key));
		else if (!strcmp(v->key, "suppressed"))
			hd_json_uint(&m->j, v->key, put_findings(m, "suppressed", NULL, NULL));
		else if (!strcmp(v->key, "seconds"))
			put_seconds(m);
		else if (v->kind == HD_JSON_OBJECT)
			put_object(m, v);
		else if (v->kind == HD_JSON_NUMBER && rule != OF_FIRST)
			put_number(m, NULL, v, rule);
		else
			copy(&m->j, v->key, v);
	}
	hd_json_close(&m->j, '}');
}

/* ---- all of it -------------------------------------------------------------------------------- */

static void put_parts(struct merge *m)
{
	hd_json_open(&m->j, "parts", '{');
	hd_json_uint(&m->j, "of", m->of);
	hd_json_uint(&m->j, "merged", m->n);
	hd_json_close(&m->j, '}');
}

static void put_member(struct merge *m, value *v)
{
	static const char *const lists[] = { "findings", "candidates", "suppressed" };

	for (size_t i = 0; i < 3; i++) {
		if (!strcmp(v->key, lists[i])) {
			put_findings(m, v->key, &m->j, NULL);
			return;
		}
	}
	if (!strcmp(v->key, "part"))
		put_parts(m);
	else if (!strcmp(v->key, "stats"))
		put_stats(m, v);
	else if (!strcmp(v->key, "notes"))
		put_notes(m);
	else if (!strcmp(v->key, "patterns") || !strcmp(v->key, "goals"))
		put_all(m, v->key);
	else if (!strcmp(v->key, "outside") || !strcmp(v->key, "unhooked")) {
		hd_json_open(&m->j, v->key, '[');
		put_texts(m, v->key, false);
		hd_json_close(&m->j, ']');
	} else
		copy(&m->j, v->key, v);
}

static enum hd_err write_merged(struct merge *m, struct hd_document *out, struct hd_errbuf *eb)
{
	FILE *text = open_memstream(&out->json, &out->len);
	enum hd_err err = text ? HD_OK : HD_ERR_NOMEM;

	if (text) {
		hd_json_init(&m->j, text);
		hd_json_open(&m->j, NULL, '{');
		for (value *v = m->parts[0].root->first; v; v = v->next)
			put_member(m, v);
		hd_json_close(&m->j, '}');
		if (fclose(text) != 0)
			err = HD_ERR_NOMEM;
	}
	if (err)
		return hd_fail(eb, err, "out of memory");
	err = hd_findings_parse(&out->parsed, out->json, out->len, "the merged report", eb);
	if (!err)
		out->root = hd_json_root(out->parsed);
	return err;
}

enum hd_err hd_document_merge(struct hd_document *out, const char *const *paths, size_t n,
			      struct hd_errbuf *eb)
{
	struct merge m = { 0 };
	enum hd_err err = load_all(&m, paths, n, eb);

	*out = (struct hd_document){ 0 };
	if (!err)
		err = write_merged(&m, out, eb);
	if (err)
		hd_document_free(out);
	for (size_t i = 0; i < m.n; i++)
		hd_document_free(&m.parts[i].doc);
	free(m.parts);
	return err;
}
