/*
 * RAPID's STD text: `T0|r(V1)|loc`, with r w acq rel fork join begin end.
 *
 * It has no values: on import every write gets a value of its own, so that a read
 * may only see the write it saw.
 */
#ifndef HD_TRACE_STD_H
#define HD_TRACE_STD_H

#include <stdio.h>

#include "trace_names.h"
#include "trace_reader.h"
#include "trace_writer.h"

/* As hd_text_import. */
enum hd_err hd_std_import(const char *text, size_t len, const char *file, struct hd_trace_writer *w,
			  struct hd_errbuf *eb);

/* *@left_out: events that synchronise threads in a way that STD has no word for. */
enum hd_err hd_std_export(struct hd_trace *t, FILE *out, const struct hd_name_source *names,
			  uint64_t *left_out, struct hd_errbuf *eb);

#endif
