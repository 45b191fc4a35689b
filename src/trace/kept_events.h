/*
 * Batches of decoded events, up to a given size: what is read again and again is decoded once.
 */
#ifndef HD_TRACE_KEPT_EVENTS_H
#define HD_TRACE_KEPT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "event.h"

struct hd_kept_batch {
	struct hd_event *events;
	size_t n;
};

struct hd_kept_events {
	struct hd_kept_batch *batches;
	size_t n, room;
	size_t next;	   /* the batch that comes next in this pass */
	size_t bytes, max; /* of events; max 0: nothing is kept */
};

/* Keep a copy. What does not fit, or for which there is no memory, ends it: nothing is kept then. */
void hd_kept_events_add(struct hd_kept_events *k, const struct hd_event *events, size_t n);
void hd_kept_events_drop(struct hd_kept_events *k);

#endif
