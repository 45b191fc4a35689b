/*
 * What must happen before what in every run of the same events: the order of a thread's own
 * events, everything before a fork before the new thread, and a thread's end before its join.
 * Locks, condition variables and barriers could have gone another way and order nothing here.
 *
 * A *moment* is a stretch of one thread between two of its forks and joins: all its events are
 * ordered alike with those of other threads. Threads are numbered from 0 without holes.
 */
#ifndef HD_ANALYSIS_MUST_ORDER_H
#define HD_ANALYSIS_MUST_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vclock.h"

typedef uint32_t hd_moment; /* from 1; 0: none, out of memory */

struct hd_must_thread {
	struct hd_vclock known;
	uint32_t time; /* of its own, from 1 */
	hd_moment now; /* 0: nobody asked yet */
};

struct hd_must_moment {
	uint32_t thread, time;
	struct hd_vclock known; /* for each other thread, the last time that must be over */
};

/* Zero-initialise; free with hd_must_free. */
struct hd_must {
	struct hd_must_thread *threads;
	struct hd_must_moment *moments; /* [0] is unused */
	size_t nthreads, threads_room, nmoments, moments_room;
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
