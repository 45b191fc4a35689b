/*
 * The document that --json writes, as what the other formats are made of: `heddle report` then
 * writes from a saved one what the command itself would have written.
 */
#ifndef HD_REPORT_DOCUMENT_H
#define HD_REPORT_DOCUMENT_H

#include <stdio.h>

#include "common/json_in.h"

struct hd_document {
	const struct hd_json_value *root;
	const char *json; /* the text that it was read from */
	size_t len;
	void (*tell)(unsigned done, unsigned all); /* of findings whose runs are read; NULL: nobody asks */
};

typedef enum hd_err hd_document_writer(FILE *out, const struct hd_document *doc);

hd_document_writer hd_html_write, hd_sarif_write, hd_junit_write;

/* Call @take with each finding; then with each candidate; then with each suppressed one. */
typedef void hd_finding_taker(void *ctx, const struct hd_json_value *f, bool candidate);
void hd_document_each(const struct hd_document *doc, hd_finding_taker *take, void *ctx);

/* Does any finding count, being neither known nor suppressed? */
bool hd_document_has_faults(const struct hd_document *doc);

/* Why not everything was tried, a word of hd_stopped_words(); NULL: it was. */
const char *hd_document_stopped(const struct hd_document *doc);

/* Where a list shows @f: "bank.c:18 in deposit"; nothing where that is unknown. */
void hd_document_put_site(FILE *out, const struct hd_json_value *f);

/* The title of @f if its summary does not begin with it, and is to be told after it; else NULL. */
const char *hd_document_title(const struct hd_json_value *f);
/* One line that says what @f is: its summary, after such a title. */
void hd_document_put_headline(FILE *out, const struct hd_json_value *f);

#endif
