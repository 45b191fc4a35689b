/*
 * Segments: where in the order an access is, and under which locks. Interned; those that no
 * access, source or finding refers to any more are collected between time slices.
 */
#ifndef CR_SEGMENT_H
#define CR_SEGMENT_H

#include "cr_thread.h"

struct cr_segment {
	UInt slot, clock, lockset, number; /* number: of the thread */
};

extern struct cr_segment *cr_segments; /* by id; 0 is none */

/* A number for where the running thread is now. */
UInt cr_segment_make(void);

static inline UInt cr_segment_now(void)
{
	return cr_me->segment ? cr_me->segment : cr_segment_make();
}

static inline const struct cr_segment *cr_segment(UInt id)
{
	return &cr_segments[id];
}

/* Did what happened in segment @id happen before what this thread does now? */
static inline Bool cr_segment_before(UInt id)
{
	return cr_segments[id].clock <= cr_me->clock[cr_segments[id].slot];
}

/* ... before what all threads do now? */
Bool cr_segment_past(UInt id);

/* What another did up to the end of segment @id happens before what the running thread does next. */
void cr_after_segment(UInt id);

/* Forget those that are not of use any more, if that is worth the time. */
void cr_segment_collect(void);

struct cr_segment_stats {
	ULong made, collections;
	UInt most; /* at a time */
};

extern struct cr_segment_stats cr_segment_stats;

#endif
