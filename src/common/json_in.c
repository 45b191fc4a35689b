#include "json_in.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64u
#define BLOCK	  256u /* values that are allocated at once */

struct block {
	struct block *next;
	size_t used;
	struct hd_json_value values[BLOCK];
};

struct hd_json_doc {
	char *text; /* strings are unescaped in it, where they stand */
	struct block *blocks;
	const struct hd_json_value *root;
};

struct reader {
	struct hd_json_doc *doc;
	char *at, *end;
	unsigned long line;
	unsigned depth;
	const char *wrong; /* what was expected where it stopped */
	enum hd_err err;
};

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
	for (; r->at < r->end &&
	       (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n');
	     r->at++)
		r->line += *r->at == '\n';
}

static bool take(struct reader *r, char c)
{
	skip_blanks(r);
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

static struct hd_json_value *new_value(struct reader *r)
{
	struct block *b = r->doc->blocks;

	if (!b || b->used == BLOCK) {
		b = calloc(1, sizeof(*b));
		if (!b) {
			r->wrong = "memory";
			r->err = HD_ERR_NOMEM;
			return NULL;
		}
		b->next = r->doc->blocks;
		r->doc->blocks = b;
	}
	return &b->values[b->used++];
}

/* ---- strings ------------------------------------------------------------------------- */

static bool read_hex(struct reader *r, uint32_t *out)
{
	*out = 0;
	for (int i = 0; i < 4; i++, r->at++) {
		char c = r->at < r->end ? *r->at : 0;
		uint32_t digit = c >= '0' && c <= '9'	? (uint32_t)(c - '0')
				 : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
				 : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
							: 16;

		if (digit == 16)
			return fail(r, "four hexadecimal digits after \\u");
		*out = *out << 4 | digit;
	}
	return true;
}

/* What follows \u: one character, or two halves of one. */
static bool read_code(struct reader *r, uint32_t *out)
{
	uint32_t low;

	if (!read_hex(r, out))
		return false;
	if (*out >= 0xd800 && *out < 0xdc00 && r->end - r->at >= 6 && r->at[0] == '\\' &&
	    r->at[1] == 'u') {
		r->at += 2;
		if (!read_hex(r, &low))
			return false;
		if (low >= 0xdc00 && low < 0xe000)
			*out = 0x10000 + ((*out - 0xd800) << 10) + (low - 0xdc00);
		else
			*out = 0xfffd;
	}
	if (*out == 0 || (*out >= 0xd800 && *out < 0xe000))
		*out = 0xfffd;
	return true;
}

static char *put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	} else {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	}
	return to;
}

/* After a backslash. An escape is never shorter than what it stands for. */
static bool read_escape(struct reader *r, char **to)
{
	static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	char c = r->at < r->end ? *r->at++ : 0;
	const char *known = c ? strchr(names, c) : NULL;
	uint32_t code;

	if (known) {
		*(*to)++ = meant[known - names];
		return true;
	}
	if (c != 'u')
		return fail(r, "a known character after \\");
	if (!read_code(r, &code))
		return false;
	*to = put_utf8(*to, code);
	return true;
}

static bool read_string(struct reader *r, const char **out)
{
	char *to;

	if (!take(r, '"'))
		return fail(r, "a string");
	*out = to = r->at;
	while (r->at < r->end && *r->at != '"') {
		char c = *r->at++;

		if ((unsigned char)c < 0x20)
			return fail(r, "no control character in a string");
		if (c != '\\')
			*to++ = c;
		else if (!read_escape(r, &to))
			return false;
	}
	if (r->at == r->end)
		return fail(r, "the end of a string");
	r->at++;
	*to = 0; /* over the quote, or earlier */
	return true;
}

/* ---- values -------------------------------------------------------------------------- */

static bool read_value(struct reader *r, struct hd_json_value *v);

/* The elements up to @close, of an object with their keys. */
static bool read_elements(struct reader *r, struct hd_json_value *v, char close)
{
	const struct hd_json_value **tail = &v->first;

	if (take(r, close))
		return true;
	do {
		struct hd_json_value *element = new_value(r);

		if (!element)
			return false;
		if (close == '}') {
			if (!read_string(r, &element->key))
				return false;
			if (!take(r, ':'))
				return fail(r, "a ':'");
		}
		if (!read_value(r, element))
			return false;
		*tail = element;
		tail = &element->next;
	} while (take(r, ','));
	return take(r, close) || fail(r, close == '}' ? "a ',' or '}'" : "a ',' or ']'");
}

static bool read_word(struct reader *r, struct hd_json_value *v)
{
	static const struct {
		const char *word;
		enum hd_json_kind kind;
		bool yes;
	} words[] = { { "true", HD_JSON_BOOL, true },
		      { "false", HD_JSON_BOOL, false },
		      { "null", HD_JSON_NULL, false } };
	size_t left = (size_t)(r->end - r->at);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t len = strlen(words[i].word);

		if (left >= len && !memcmp(r->at, words[i].word, len)) {
			v->kind = words[i].kind;
			v->yes = words[i].yes;
			r->at += len;
			return true;
		}
	}
	return false;
}

static bool read_number(struct reader *r, struct hd_json_value *v)
{
	char *from = r->at, *copy, *end;

	while (r->at < r->end && *r->at && strchr("+-.0123456789eE", *r->at))
		r->at++;
	if (r->at == from)
		return fail(r, "a value");
	/* What follows is needed, so there is no room for the final 0: one place to the left is. */
	copy = from - 1;
	memmove(copy, from, (size_t)(r->at - from));
	copy[r->at - from] = 0;
	strtod(copy, &end);
	if (*end || end == copy)
		return fail(r, "a number");
	v->kind = HD_JSON_NUMBER;
	v->text = copy;
	return true;
}

static bool read_value(struct reader *r, struct hd_json_value *v)
{
	bool ok;

	skip_blanks(r);
	if (r->depth == DEPTH_MAX)
		return fail(r, "less depth");
	r->depth++;
	if (take(r, '{')) {
		v->kind = HD_JSON_OBJECT;
		ok = read_elements(r, v, '}');
	} else if (take(r, '[')) {
		v->kind = HD_JSON_ARRAY;
		ok = read_elements(r, v, ']');
	} else if (r->at < r->end && *r->at == '"') {
		v->kind = HD_JSON_STRING;
		ok = read_string(r, &v->text);
	} else {
		ok = read_word(r, v) || read_number(r, v);
	}
	r->depth--;
	return ok;
}

enum hd_err hd_json_parse(struct hd_json_doc **out, const char *text, size_t len, const char *name,
			  struct hd_errbuf *eb)
{
	struct reader r = { .line = 1, .doc = calloc(1, sizeof(*r.doc)) };
	struct hd_json_value *root = NULL;

	*out = NULL;
	/* One byte before it, for numbers. */
	if (r.doc)
		r.doc->text = malloc(len + 2);
	if (!r.doc || !r.doc->text) {
		hd_json_free(r.doc);
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory");
	}
	r.at = r.doc->text + 1;
	memcpy(r.at, text, len);
	r.end = r.at + len;
	root = new_value(&r);
	if (root && read_value(&r, root)) {
		skip_blanks(&r);
		if (r.at != r.end)
			fail(&r, "the end of the document");
	}
	r.doc->root = root;
	if (!r.wrong) {
		*out = r.doc;
		return HD_OK;
	}
	hd_json_free(r.doc);
	return hd_fail(eb, r.err, "%s: line %lu: expected %s", name, r.line, r.wrong);
}

void hd_json_free(struct hd_json_doc *doc)
{
	while (doc && doc->blocks) {
		struct block *b = doc->blocks;

		doc->blocks = b->next;
		free(b);
	}
	if (doc)
		free(doc->text);
	free(doc);
}

const struct hd_json_value *hd_json_root(const struct hd_json_doc *doc)
{
	return doc->root;
}

const struct hd_json_value *hd_json_get(const struct hd_json_value *v, const char *key)
{
	if (!v || v->kind != HD_JSON_OBJECT)
		return NULL;
	for (v = v->first; v; v = v->next) {
		if (!strcmp(v->key, key))
			return v;
	}
	return NULL;
}

const char *hd_json_get_text(const struct hd_json_value *v, const char *key)
{
	v = hd_json_get(v, key);
	return v && v->kind == HD_JSON_STRING ? v->text : NULL;
}

uint64_t hd_json_get_number(const struct hd_json_value *v, const char *key)
{
	v = hd_json_get(v, key);
	return v && v->kind == HD_JSON_NUMBER ? strtoull(v->text, NULL, 10) : 0;
}

bool hd_json_get_bool(const struct hd_json_value *v, const char *key)
{
	v = hd_json_get(v, key);
	return v && v->kind == HD_JSON_BOOL && v->yes;
}

const struct hd_json_value *hd_json_items(const struct hd_json_value *v, const char *key)
{
	v = hd_json_get(v, key);
	return v && v->kind == HD_JSON_ARRAY ? v->first : NULL;
}
