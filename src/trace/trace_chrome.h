/*
 * Chrome's trace JSON, which Perfetto and chrome://tracing draw: a track for each
 * thread with the stretches it ran, its accesses as instants, and its locks and
 * blocks as spans. Time is the number of the event, as if each took a microsecond.
 */
#ifndef HD_TRACE_CHROME_H
#define HD_TRACE_CHROME_H

#include <stdio.h>

#include "trace_names.h"
#include "trace_reader.h"

enum hd_err hd_chrome_export(struct hd_trace *t, FILE *out, const struct hd_name_source *names,
			     struct hd_errbuf *eb);

#endif
