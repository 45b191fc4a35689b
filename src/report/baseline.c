/*
 * Just enough of a JSON reader: it checks all of the document, and keeps the "id" of each
 * element of the top level's "findings".
 */
#include "baseline.h"

#include <stdlib.h>
#include <string.h>

#include "run_model.h"
#include "whole_file.h"

#define DEPTH_MAX 64u

struct hd_baseline {
	char (*ids)[17]; /* sorted when read */
	size_t n, cap;
};

struct reader {
	const char *start, *at, *end;
	struct hd_baseline *baseline;
	const char *wrong; /* what was expected where it stopped */
	enum hd_err err;
	bool has_findings, has_version;
	unsigned depth;
};

/* Where in the document a value is. */
enum place { ANYWHERE, DOCUMENT, FINDINGS, FINDING };

static bool fail(struct reader *r, const char *wrong)
{
	if (!r->wrong) {
		r->wrong = wrong;
		r->err = HD_ERR_PARSE;
	}
	return false;
}

static void skip_blanks(struct reader *r)
{
	while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
		r->at++;
}

static bool take(struct reader *r, char c)
{
	skip_blanks(r);
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

/* A string; @buf gets it if it is short and has no escapes, else "". */
static bool read_string(struct reader *r, char *buf, size_t len)
{
	const char *from;
	bool plain = true;
	size_t n;

	if (!take(r, '"'))
		return fail(r, "a string");
	for (from = r->at; r->at < r->end && *r->at != '"'; r->at++) {
		if ((unsigned char)*r->at < 0x20)
			return fail(r, "no control character in a string");
		if (*r->at != '\\')
			continue;
		plain = false;
		if (++r->at == r->end || !strchr("\"\\/bfnrtu", *r->at) || !*r->at)
			return fail(r, "a known character after \\");
	}
	if (r->at == r->end)
		return fail(r, "the end of a string");
	n = (size_t)(r->at++ - from);
	if (!plain || n >= len)
		n = 0;
	memcpy(buf, from, n);
	buf[n] = 0;
	return true;
}

static bool is_id(const char *s)
{
	return strlen(s) == 16 && strspn(s, "0123456789abcdef") == 16;
}

static bool keep_id(struct reader *r, const char *id)
{
	struct hd_baseline *b = r->baseline;

	if (!is_id(id))
		return fail(r, "an id of 16 hexadecimal digits");
	if (!hd_make_room(&b->ids, b->n, &b->cap, sizeof(*b->ids))) {
		r->wrong = "memory";
		r->err = HD_ERR_NOMEM;
		return false;
	}
	memcpy(b->ids[b->n++], id, 17);
	return true;
}

static bool read_value(struct reader *r, enum place place);

static bool read_member(struct reader *r, enum place place)
{
	enum place inside = ANYWHERE;
	char key[32], text[32];

	if (!read_string(r, key, sizeof(key)))
		return false;
	if (!take(r, ':'))
		return fail(r, "a ':'");
	if (place == DOCUMENT && !strcmp(key, "findings")) {
		r->has_findings = true;
		inside = FINDINGS;
	}
	r->has_version |= place == DOCUMENT && !strcmp(key, "version");
	if (place != FINDING || strcmp(key, "id"))
		return read_value(r, inside);
	return read_string(r, text, sizeof(text)) && keep_id(r, text);
}

static bool read_object(struct reader *r, enum place place)
{
	if (take(r, '}'))
		return true;
	do {
		if (!read_member(r, place))
			return false;
	} while (take(r, ','));
	return take(r, '}') || fail(r, "a ',' or '}'");
}

static bool read_array(struct reader *r, enum place place)
{
	if (take(r, ']'))
		return true;
	do {
		if (!read_value(r, place == FINDINGS ? FINDING : ANYWHERE))
			return false;
	} while (take(r, ','));
	return take(r, ']') || fail(r, "a ',' or ']'");
}

/* A number, or one of the three words. */
static bool read_scalar(struct reader *r)
{
	static const char *const words[] = { "true", "false", "null" };
	size_t left = (size_t)(r->end - r->at), n = 0;

	for (int i = 0; i < 3; i++) {
		if (left >= strlen(words[i]) && !memcmp(r->at, words[i], strlen(words[i]))) {
			r->at += strlen(words[i]);
			return true;
		}
	}
	while (n < left && r->at[n] && strchr("+-.0123456789eE", r->at[n]))
		n++;
	r->at += n;
	return n || fail(r, "a value");
}

static bool read_value(struct reader *r, enum place place)
{
	char text[32];
	bool ok;

	skip_blanks(r);
	if (r->depth == DEPTH_MAX)
		return fail(r, "less depth");
	r->depth++;
	if ((place == DOCUMENT || place == FINDING) && r->at < r->end && *r->at != '{')
		ok = fail(r, "an object");
	else if (place == FINDINGS && r->at < r->end && *r->at != '[')
		ok = fail(r, "an array");
	else if (take(r, '{'))
		ok = read_object(r, place);
	else if (take(r, '['))
		ok = read_array(r, place);
	else if (r->at < r->end && *r->at == '"')
		ok = read_string(r, text, sizeof(text));
	else
		ok = read_scalar(r);
	r->depth--;
	return ok;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

static unsigned long line_of(const struct reader *r)
{
	unsigned long line = 1;

	for (const char *p = r->start; p < r->at; p++)
		line += *p == '\n';
	return line;
}

enum hd_err hd_baseline_parse(struct hd_baseline **out, const char *text, size_t len,
			      const char *name, struct hd_errbuf *eb)
{
	struct reader r = { .start = text, .at = text, .end = text + len };
	enum hd_err err = HD_OK;

	*out = NULL;
	r.baseline = calloc(1, sizeof(*r.baseline));
	if (!r.baseline)
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory");
	if (read_value(&r, DOCUMENT)) {
		skip_blanks(&r);
		if (r.at != r.end)
			fail(&r, "the end of the document");
	}
	if (r.wrong)
		err = hd_fail(eb, r.err, "%s: line %lu: not what --json writes: expected %s", name,
			      line_of(&r), r.wrong);
	else if (!r.has_findings || !r.has_version)
		err = hd_fail(eb, HD_ERR_PARSE, "%s is not what --json writes: it has no '%s'",
			      name, r.has_findings ? "version" : "findings");
	if (err) {
		hd_baseline_free(r.baseline);
		return err;
	}
	if (r.baseline->n)
		qsort(r.baseline->ids, r.baseline->n, sizeof(*r.baseline->ids), by_text);
	*out = r.baseline;
	return HD_OK;
}

enum hd_err hd_baseline_load(struct hd_baseline **out, const char *path, struct hd_errbuf *eb)
{
	char *text = NULL;
	size_t len = 0;
	enum hd_err err = hd_read_whole(path, &text, &len, eb);

	*out = NULL;
	if (err)
		return err;
	err = hd_baseline_parse(out, text, len, path, eb);
	free(text);
	return err;
}

void hd_baseline_free(struct hd_baseline *b)
{
	if (b)
		free(b->ids);
	free(b);
}

bool hd_baseline_has(const struct hd_baseline *b, const char *id)
{
	return b && b->n && bsearch(id, b->ids, b->n, sizeof(*b->ids), by_text);
}
