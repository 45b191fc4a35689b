/*
 * A trace without the accesses that cannot matter: those to memory that only one
 * thread ever touched, or that nobody wrote.
 *
 * Most of a run is such accesses. What is left follows the sharing, not the work,
 * and every analysis of conflicts between threads gives the same answers on it.
 * Event numbers change; the schedule, and all else, stays.
 */
#ifndef HD_TRACE_COMPACT_H
#define HD_TRACE_COMPACT_H

#include "trace_reader.h"

struct hd_compacted {
	uint64_t events_in, events_out;
};

/* Reads @t twice. @path must not be the file that @t comes from. */
enum hd_err hd_trace_compact(struct hd_trace *t, const char *path, struct hd_compacted *done,
			     struct hd_errbuf *eb);

#endif
