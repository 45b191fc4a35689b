/*
 * A schedule as segments: who runs for how many decisions, the form in which it is minimised.
 *
 * Where a replay needs every decision of a schedule to be possible, the policy `segments` follows
 * any list of segments: a thread runs for so many decisions, or until it cannot go on, then comes
 * the next segment; one whose thread cannot run is passed over; after the last, threads run until
 * they block, lowest number first. All segments of a run reproduce it exactly.
 *
 * In a run by plan every scheduling point is a decision (option wide), so the length of a segment
 * does not depend on what other threads can do. A run by segments is of the kind that they came from;
 * all other options should be those of that run, too.
 */
#ifndef HD_TRACE_SEGMENTS_H
#define HD_TRACE_SEGMENTS_H

#include <stddef.h>

#include "segment.h"
#include "trace_reader.h"

struct hd_segments {
	struct hd_segment *list;
	size_t n;
	uint64_t preemptions; /* decisions that took the processor from a thread that could go on */
};

/* Of the run in @t, which is read from its start; rewind it. A run cut short: up to there. */
enum hd_err hd_schedule_segments(struct hd_trace *t, struct hd_segments *out, struct hd_errbuf *eb);
void hd_segments_free(struct hd_segments *s);

#endif
