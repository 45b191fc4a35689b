/*
 * How a thread walks through its locks, forks and joins, and where it can be interrupted between
 * two of its accesses.
 *
 * A *segment* is a stretch of a thread without change of its locks and without fork or join: all
 * points of it are alike. A *gap* is a set of points, interned.
 */
#ifndef HD_ANALYSIS_PATTERN_WALK_H
#define HD_ANALYSIS_PATTERN_WALK_H

#include "pattern_store.h"

/*
 * Points of one critical section that are told apart. A section with more has the rest
 * replaced by the locks held all the time: weaker, so nothing is missed.
 */
#define HD_POINTS_MAX 64

/* An access, and where the thread stood. */
struct hd_mark {
	struct hd_spot spot;
	uint64_t site, segment;
	uint64_t block; /* the declared block it is in; 0: none */
	hd_acq acq;
	hd_moment moment;
	bool write;
	bool valid;
};

struct hd_walk_point {
	uint64_t segment; /* the last that began like this */
	hd_acq acq;
	hd_moment moment;
	bool given; /* it began by giving back a lock */
};

struct hd_walk {
	struct hd_thread_locks *thread;
	uint64_t segment, last_free; /* last_free: the latest segment without locks */
	struct hd_walk_point points[HD_POINTS_MAX]; /* since last_free, the best ones */
	unsigned npoints;
	uint64_t lost;	  /* a point of this segment or before is not in points any more */
	hd_moment moment; /* 0: not asked yet */
	uint32_t locks;	  /* held, interned */
	bool locks_known;
	uint32_t here_gap, free_gap; /* interned; 0: not yet */
};

/* Locks, forks or joins of the thread changed (enum hd_lock_change). False: out of memory. */
bool hd_walk_change(struct hd_walk *w, struct hd_lock_state *ls, unsigned change);

/* Fill in @mark for an access now, but for site, block and write. False: out of memory. */
bool hd_walk_mark(struct hd_walk *w, struct hd_lock_state *ls, struct hd_pattern_store *s,
		  const struct hd_event *ev, uint64_t index, struct hd_mark *mark);

/* Where the thread can be interrupted from @since until now; 0: out of memory. */
uint32_t hd_walk_gap(struct hd_walk *w, struct hd_lock_state *ls, struct hd_pattern_store *s,
		     const struct hd_mark *since);

#endif
