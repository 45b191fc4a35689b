/*
 * Read JSON: a document as a tree of values, whole or not at all.
 *
 * For our own documents, which are small; strings live in one copy of the text. Numbers keep their
 * spelling, because a 64-bit value is none of a double's. A zero within a string (\u0000) and
 * lone surrogates become U+FFFD.
 */
#ifndef HD_COMMON_JSON_IN_H
#define HD_COMMON_JSON_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

enum hd_json_kind {
	HD_JSON_NULL,
	HD_JSON_BOOL,
	HD_JSON_NUMBER,
	HD_JSON_STRING,
	HD_JSON_ARRAY,
	HD_JSON_OBJECT
};

struct hd_json_value {
	enum hd_json_kind kind;
	bool yes;			   /* of a boolean */
	const char *key;		   /* of a member; NULL in arrays */
	const char *text;		   /* of a string; of a number its digits */
	const struct hd_json_value *first; /* of an array or object */
	const struct hd_json_value *next;  /* in the same array or object */
};

struct hd_json_doc;

/* Errors say in which line of @name and what was expected. */
enum hd_err hd_json_parse(struct hd_json_doc **out, const char *text, size_t len, const char *name,
			  struct hd_errbuf *eb);
void hd_json_free(struct hd_json_doc *doc);
const struct hd_json_value *hd_json_root(const struct hd_json_doc *doc);

/* These take NULL and values of any kind, and find nothing in them. */
const struct hd_json_value *hd_json_get(const struct hd_json_value *v, const char *key);
const char *hd_json_get_text(const struct hd_json_value *v, const char *key); /* of a string */
uint64_t hd_json_get_number(const struct hd_json_value *v, const char *key);  /* 0: none */
bool hd_json_get_bool(const struct hd_json_value *v, const char *key);
/* Of an array; NULL: none. */
const struct hd_json_value *hd_json_items(const struct hd_json_value *v, const char *key);

#endif
