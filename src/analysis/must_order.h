/*
 * What must happen before what in every run of the same events: the order of a thread's own
 * events, everything before a fork before the new thread, and a thread's end before its join.
 * Locks, condition variables and barriers could have gone another way and order nothing here.
 *
 * A *moment* is a stretch of one thread between two of its forks and joins: all its events are
 * ordered alike with those of other threads. Threads are numbered from 0 without holes.
 *
 * What a thread knows of others is a list of news that only grows: a moment is a place in it, not
 * a clock of its own. A new thread knows what its parent knew, which is a place in the parent's list.
 * So memory follows forks and joins, however many threads there are.
 */
#ifndef HD_ANALYSIS_MUST_ORDER_H
#define HD_ANALYSIS_MUST_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/map.h"

typedef uint32_t hd_moment; /* from 1; 0: none, out of memory */

/* From now on, what @thread did up to @time must be over. */
struct hd_must_news {
	uint32_t thread, time;
	uint32_t number; /* in the list that it is in, from 1 */
	uint32_t next;	 /* in that list; 0: the last */
	uint32_t before; /* of the same thread, in the same list; 0: none */
};

struct hd_must_thread {
	uint32_t first, last; /* its news; 0: none */
	uint32_t nnews;
	uint32_t parent;    /* plus 1: it also knows what that one knew ... */
	uint32_t inherited; /* ... by so much of its news */
	uint32_t depth;	    /* parents of parents */
	uint32_t time;	    /* of its own, from 1 */
	hd_moment now;	    /* 0: nobody asked yet */
	bool asked;	    /* it has a moment */
};

struct hd_must_moment {
	uint32_t thread, time;
	uint32_t nnews;
};

/* Zero-initialise; free with hd_must_free. */
struct hd_must {
	struct hd_must_thread *threads;
	struct hd_must_moment *moments; /* [0] is unused */
	struct hd_must_news *news;	/* [0] is unused */
	struct hd_map latest; /* two threads -> the last news that the one has of the other */
	size_t nthreads, threads_room, nmoments, moments_room, nnews, news_room;
};

void hd_must_free(struct hd_must *m);

/* False: out of memory. */
bool hd_must_fork(struct hd_must *m, uint32_t parent, uint32_t child);
bool hd_must_join(struct hd_must *m, uint32_t thread, uint32_t joined);

/* The moment in which @thread is. */
hd_moment hd_must_now(struct hd_must *m, uint32_t thread);

/* Must all of @a be over before any of @b can happen? False for @a == @b. */
bool hd_must_before(const struct hd_must *m, hd_moment a, hd_moment b);

#endif
