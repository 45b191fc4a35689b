/*
 * Traces as commands are given them: recorded, imported, or as text.
 */
#ifndef HD_FINDINGS_TRACE_INPUT_H
#define HD_FINDINGS_TRACE_INPUT_H

#include "common/err.h"
#include "trace/trace_reader.h"

/*
 * Open @path: a trace file; or a run in text form or RAPID's STD, which is imported
 * into memory first. Events are numbered alike in all of them.
 */
enum hd_err hd_trace_input(struct hd_trace **out, const char *path, struct hd_errbuf *eb);

#endif
