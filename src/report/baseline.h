/*
 * What an earlier run found, so that only what is new counts.
 */
#ifndef HD_REPORT_BASELINE_H
#define HD_REPORT_BASELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

struct hd_baseline;
struct hd_json_doc;

/* Read a document that --json wrote. */
enum hd_err hd_baseline_load(struct hd_baseline **out, const char *path, struct hd_errbuf *eb);
/* The same from memory; @name is for messages. */
enum hd_err hd_baseline_parse(struct hd_baseline **out, const char *text, size_t len,
			      const char *name, struct hd_errbuf *eb);
void hd_baseline_free(struct hd_baseline *b);

/* Any document that --json wrote: JSON with a version and an array of findings. */
enum hd_err hd_findings_parse(struct hd_json_doc **doc, const char *text, size_t len,
			      const char *name, struct hd_errbuf *eb);

/* Was a finding of that id among them? */
bool hd_baseline_has(const struct hd_baseline *b, const char *id);

#endif
