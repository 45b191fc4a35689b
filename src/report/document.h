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
	char *json; /* the text that it was read from */
	size_t len;
	struct hd_json_doc *parsed; /* what root is of */
	void (*tell)(unsigned done,
		     unsigned all); /* of findings whose runs are read; NULL: nobody asks */
};

struct hd_run;
struct hd_report_info;

/*
 * The document of @run, made once for all formats. It is read back from its text: so a format has
 * the same before it as when `heddle report` reads the file, and the two cannot differ.
 */
enum hd_err hd_document_make(struct hd_document *doc, const struct hd_run *run,
			     const struct hd_report_info *info);
/* The one in a file that --json wrote. */
enum hd_err hd_document_load(struct hd_document *doc, const char *path, struct hd_errbuf *eb);
void hd_document_free(struct hd_document *doc);

typedef enum hd_err hd_document_writer(FILE *out, const struct hd_document *doc);

#define HD_FORMAT(name, word, writer, option, report) hd_document_writer writer;
#include "heddle/engine/formats.def"
#undef HD_FORMAT

/* Call @take with each finding; then with each candidate; then with each suppressed one. */
typedef void hd_finding_taker(void *ctx, const struct hd_json_value *f, bool candidate);
void hd_document_each(const struct hd_document *doc, hd_finding_taker *take, void *ctx);

/* Does a finding count, being neither known, tolerated nor suppressed? Does any? */
bool hd_document_counts(const struct hd_json_value *f);
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
