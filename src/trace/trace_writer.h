/*
 * Write a trace file: events in, compressed chunks out.
 *
 * Every call after a failure is a no-op that returns the first error, so a
 * caller may check once at the end. What was flushed before a failure stays
 * readable.
 */
#ifndef HD_TRACE_WRITER_H
#define HD_TRACE_WRITER_H

#include <stddef.h>

#include "common/err.h"
#include "event.h"

struct hd_trace_writer;
struct hd_raw;

/* What is known about a run before it starts. Strings are copied. */
struct hd_trace_meta {
	int argc;
	const char *const *argv; /* of the tested program; argc 0 for imported traces */
	const char *const *keys; /* options that shape the run, e.g. "policy", "seed", ... */
	const char *const *values;
	int nkeys;
};

/* How it ended. */
struct hd_trace_end {
	int exited; /* 1: exit status in code; 0: killed by signal in code; -1: unknown */
	int code;
	uint64_t start_time; /* see ring.h; 0: the program never looked */
};

enum hd_err hd_trace_create(struct hd_trace_writer **out, const char *path,
			    const struct hd_trace_meta *meta, struct hd_errbuf *eb);
/* As above on an open descriptor, which the writer then owns. */
enum hd_err hd_trace_create_fd(struct hd_trace_writer **out, int fd, const char *name,
			       const struct hd_trace_meta *meta, struct hd_errbuf *eb);

/* Append one event. String and context numbers must have been defined before. */
enum hd_err hd_trace_put(struct hd_trace_writer *w, const struct hd_event *ev);

/*
 * The same of accesses in the ring (ring.h), by @thread: as many of the @n records as are plain reads
 * and writes, but for the last, which may have a second part. Returns their number; less than there
 * are after a failure.
 */
size_t hd_trace_put_accesses(struct hd_trace_writer *w, uint32_t thread, const struct hd_raw *r,
			     size_t n);

/* The same of a loop of accesses in the ring, whose records make sense. */
enum hd_err hd_trace_put_loop(struct hd_trace_writer *w, uint32_t thread,
			      const struct hd_raw *loop);

/* Define string number @id (from 1, each once), context @ctx (a call from @pc in @parent). */
enum hd_err hd_trace_put_string(struct hd_trace_writer *w, uint32_t id, const char *s, size_t len);
enum hd_err hd_trace_put_context(struct hd_trace_writer *w, uint32_t ctx, uint32_t parent,
				 uint64_t pc);
/* A name for a location, lock or other object (imported traces). */
enum hd_err hd_trace_put_name(struct hd_trace_writer *w, uint64_t addr, const char *name);
/* A source position for a pc (imported traces, whose pcs are made up). */
enum hd_err hd_trace_put_site(struct hd_trace_writer *w, uint64_t pc, const char *file,
			      uint32_t line);
/* A module's build id, hexadecimal, by load address. */
enum hd_err hd_trace_put_build_id(struct hd_trace_writer *w, uint64_t base, const char *hex);
/* @n things were not recorded for this reason; adds up. */
enum hd_err hd_trace_put_drop(struct hd_trace_writer *w, const char *reason, uint64_t n);

/* Hand everything so far to the kernel as whole chunks. */
enum hd_err hd_trace_flush(struct hd_trace_writer *w);

/* Write the end record (if @end) and close. Frees @w in every case. */
enum hd_err hd_trace_finish(struct hd_trace_writer *w, const struct hd_trace_end *end,
			    struct hd_errbuf *eb);

#endif
