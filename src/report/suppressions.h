/*
 * Findings that somebody has decided not to be told of: lines "type:pattern".
 *
 * The pattern matches any part of a function, file, module or variable that the
 * finding tells of; * stands for anything, ^ and $ for the start and the end. docs/reference/suppressions.md
 */
#ifndef HD_REPORT_SUPPRESSIONS_H
#define HD_REPORT_SUPPRESSIONS_H

#include <stdio.h>

#include "run_model.h"

struct hd_suppressions;

/* Read @path. A line that cannot be understood: HD_ERR_PARSE, and its number in the text. */
enum hd_err hd_suppressions_load(struct hd_suppressions **out, const char *path,
				 struct hd_errbuf *eb);
/* The same from memory; @name is for messages. */
enum hd_err hd_suppressions_parse(struct hd_suppressions **out, const char *text, size_t len,
				  const char *name, struct hd_errbuf *eb);
void hd_suppressions_free(struct hd_suppressions *s);

/* The line that suppresses @f, which is then counted as used; NULL: none does. */
const char *hd_suppressed_by(struct hd_suppressions *s, const struct hd_run *run,
			     const struct hd_finding *f);

/* The lines that suppressed nothing, one after the other; NULL: no more. */
const char *hd_suppressions_unused(const struct hd_suppressions *s, size_t i);

/* A line that suppresses @f, with a comment before it. */
void hd_put_suppression(FILE *out, const struct hd_run *run, const struct hd_finding *f);

/* Would the lines for both be the same? */
bool hd_same_suppression(const struct hd_run *run, const struct hd_finding *a,
			 const struct hd_finding *b);

/* Does @pattern match @text? */
bool hd_pattern_matches(const char *pattern, const char *text);

#endif
