/*
 * Write JSON to a stream: indented, in the order of the calls, always well
 * formed. Bytes that are not UTF-8 become U+FFFD, so hostile names cannot break
 * a document. A key is NULL inside arrays and for the top value.
 */
#ifndef HD_COMMON_JSON_OUT_H
#define HD_COMMON_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct hd_json {
	FILE *out;
	unsigned depth;
	bool first; /* nothing yet in the current object or array */
};

void hd_json_init(struct hd_json *j, FILE *out);
void hd_json_open(struct hd_json *j, const char *key, char bracket); /* '{' or '[' */
void hd_json_close(struct hd_json *j, char bracket);		     /* '}' or ']' */
void hd_json_str(struct hd_json *j, const char *key, const char *s); /* NULL: null */
void hd_json_int(struct hd_json *j, const char *key, int64_t v);
void hd_json_uint(struct hd_json *j, const char *key, uint64_t v);
void hd_json_real(struct hd_json *j, const char *key, double v);
void hd_json_bool(struct hd_json *j, const char *key, bool v);
void hd_json_null(struct hd_json *j, const char *key);

#endif
