/*
 * A copy of a trace with some of its events left out. Event numbers change; the
 * tables, the schedule and all else stay.
 */
#ifndef HD_TRACE_COPY_H
#define HD_TRACE_COPY_H

#include "trace_reader.h"

struct hd_copied {
	uint64_t events_in, events_out;
};

typedef bool hd_keep_fn(void *arg, const struct hd_event *ev);

/* Reads @t from its start, twice. @path must not be the file that @t comes from. */
enum hd_err hd_trace_copy(struct hd_trace *t, const char *path, hd_keep_fn *keep, void *arg,
			  struct hd_copied *done, struct hd_errbuf *eb);

/*
 * A whole trace of what can be read of @t: one whose program was killed while it was being written
 * ends there, by SIGKILL. @path as above.
 */
enum hd_err hd_trace_copy_readable(struct hd_trace *t, const char *path, struct hd_errbuf *eb);

#endif
