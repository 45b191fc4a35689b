/*
 * In which construct a thread was when. Time is whatever numbers the one who asks counts by (its own times
 * of a thread, nodes of a tree), as long as they rise.
 *
 * Iterations that follow each other in equal strides are one run, so that a loop without
 * synchronisation in it takes the same room however often it goes round.
 */
#ifndef HD_ANALYSIS_WITHIN_LOG_H
#define HD_ANALYSIS_WITHIN_LOG_H

#include "intern.h"
#include "trace/found.h"

struct hd_within_run {
	uint32_t from, stride; /* the part numbered k begins at from + k * stride */
	uint32_t n;
	uint32_t construct;    /* number in the table */
	uint64_t number, step; /* its number is number + k * step */
};

/* Zero-initialise; of one thread. */
struct hd_within_log {
	struct hd_within_run *runs;
	uint32_t nruns, room;
};

/* Take note of @ev, a CONSTRUCT or ITERATION, at @now. @table: of constructs. False: out of memory. */
bool hd_within_note(struct hd_within_log *l, struct hd_intern *table, const struct hd_event *ev,
		    uint32_t now);
struct hd_within hd_within_at(const struct hd_within_log *l, const struct hd_intern *table,
			      uint32_t when);

#endif
