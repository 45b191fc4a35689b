/*
 * What the importers of text share: names to addresses, checking, writing.
 */
#ifndef HD_TRACE_IMPORT_H
#define HD_TRACE_IMPORT_H

#include "common/map.h"
#include "run_check.h"
#include "trace_writer.h"

/* A stretch of a line, not 0-terminated. */
struct hd_token {
	const char *s;
	size_t len;
};

struct hd_import {
	const char *file; /* for messages */
	unsigned long line;
	struct hd_trace_writer *writer; /* NULL: check only */
	struct hd_run_check *check;
	struct hd_texts locations, objects, sites, strings;
	struct hd_errbuf *eb;
};

enum hd_err hd_import_init(struct hd_import *im, const char *file, struct hd_trace_writer *w,
			   struct hd_errbuf *eb);
void hd_import_free(struct hd_import *im);

/* The address of a location or object of that name, made up where it is new. */
enum hd_err hd_import_location(struct hd_import *im, struct hd_token name, uint64_t *addr);
enum hd_err hd_import_object(struct hd_import *im, struct hd_token name, uint64_t *addr);
enum hd_err hd_import_site(struct hd_import *im, struct hd_token file, uint32_t line, uint64_t *pc);
enum hd_err hd_import_string(struct hd_import *im, const char *s, size_t len, uint64_t *id);

/* Check @ev as the next event and write it. @name is of ev->addr. */
enum hd_err hd_import_event(struct hd_import *im, const struct hd_event *ev, struct hd_token name);

/* "FILE: line N: @what 'TOKEN'", with the token made safe to print. */
enum hd_err hd_import_fail(struct hd_import *im, const char *what, struct hd_token token);

/* The next line without its end; false: there is none. *@at is where the rest begins. */
bool hd_import_line(const char **at, const char *end, struct hd_token *line);

bool hd_token_is(struct hd_token t, const char *s);
bool hd_token_number(struct hd_token t, uint64_t max, uint64_t *out); /* digits only */

#endif
