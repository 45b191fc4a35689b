/*
 * The text form of a trace: one event a line. docs/reference/format.md is its grammar.
 */
#ifndef HD_TRACE_TEXT_H
#define HD_TRACE_TEXT_H

#include <stdio.h>

#include "trace_names.h"
#include "trace_reader.h"
#include "trace_writer.h"

/*
 * Check the run that @text describes and write its events to @w. With @w NULL it
 * is only checked. @file is for messages, which have the form "FILE: line N: ...".
 */
enum hd_err hd_text_import(const char *text, size_t len, const char *file,
			   struct hd_trace_writer *w, struct hd_errbuf *eb);

/*
 * The inverse. A recorded trace becomes a run over cells, see trace_cells.h, and
 * loses what is about the recording rather than the run (modules, the scheduler's
 * choices, findings) unless @everything is wanted.
 */
enum hd_err hd_text_export(struct hd_trace *t, FILE *out, const struct hd_name_source *names,
			   bool everything, struct hd_errbuf *eb);

#endif
