/*
 * The page for people: one file with everything in it, made from the document that --json writes
 * and the runs that it names.
 */
#ifndef HD_REPORT_HTML_H
#define HD_REPORT_HTML_H

#include <stdio.h>

#include "common/json_in.h"

/* @doc is @json (of @len bytes), parsed. */
enum hd_err hd_html_write(FILE *out, const struct hd_json_value *doc, const char *json, size_t len);

#endif
