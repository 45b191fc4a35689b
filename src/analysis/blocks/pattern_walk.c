#include "pattern_walk.h"

#include <stdlib.h>
#include <string.h>

/* More held locks than this are not told of with an access (they do count). */
#define HELD_MAX 64

static void lose_oldest_point(struct hd_walk *w)
{
	unsigned oldest = 0;

	for (unsigned i = 1; i < w->npoints; i++) {
		if (w->points[i].segment < w->points[oldest].segment)
			oldest = i;
	}
	w->lost = w->points[oldest].segment;
	w->points[oldest] = w->points[--w->npoints];
}

/*
 * A point worth remembering: after giving back a lock, and after a fork or join. Taking a lock
 * only makes a worse point than that before it, and so is a lock given back
 * just before another one: neither is needed.
 */
static void add_point(struct hd_walk *w, bool given)
{
	struct hd_walk_point pt = { w->segment, w->thread->acq, w->moment, given };

	for (unsigned i = 0; i < w->npoints; i++) {
		if (given && w->points[i].given && w->points[i].segment == w->segment - 1) {
			w->points[i] = w->points[--w->npoints];
			break;
		}
	}
	for (unsigned i = 0; i < w->npoints; i++) {
		if (w->points[i].acq == pt.acq && w->points[i].moment == pt.moment) {
			w->points[i] = pt;
			return;
		}
	}
	if (w->npoints == HD_POINTS_MAX)
		lose_oldest_point(w);
	w->points[w->npoints++] = pt;
}

bool hd_walk_change(struct hd_walk *w, struct hd_lock_state *ls, unsigned change)
{
	w->segment++;
	w->locks_known = false;
	w->here_gap = 0;
	if (change & HD_CHANGE_MOMENT || !w->moment) {
		w->moment = hd_thread_locks_moment(ls, w->thread);
		w->free_gap = 0;
	}
	if (w->thread->acq == HD_ACQ_NONE) {
		w->last_free = w->segment;
		w->npoints = 0;
		w->lost = 0;
	} else if (change & (HD_CHANGE_GIVEN | HD_CHANGE_MOMENT)) {
		add_point(w, change & HD_CHANGE_GIVEN);
	}
	return w->moment != 0;
}

bool hd_walk_mark(struct hd_walk *w, struct hd_lock_state *ls, struct hd_pattern_store *s,
		  const struct hd_event *ev, uint64_t index, struct hd_mark *mark)
{
	struct hd_found_lock locks[HELD_MAX];

	if (!w->moment)
		w->moment = hd_thread_locks_moment(ls, w->thread);
	if (!w->locks_known) {
		size_t n = hd_thread_locks_found(w->thread, locks, HELD_MAX);

		w->locks = n ? hd_intern_put(&s->held, locks, n * sizeof(*locks)) : 0;
		if (n && !w->locks)
			return false;
		w->locks_known = true;
	}
	*mark = (struct hd_mark){
		.spot = { .index = index, .event = *ev, .locks = w->locks },
		.segment = w->segment,
		.acq = w->thread->acq,
		.moment = w->moment,
		.valid = true,
	};
	return w->moment != 0;
}

/* --- gaps --- */

static uint32_t put_gap(struct hd_pattern_store *s, const struct hd_gap_point *points, size_t n)
{
	return hd_intern_put(&s->gaps, points, n * sizeof(*points));
}

static int by_acq(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct hd_gap_point)); /* any order, always the same */
}

/*
 * Without points to tell, the locks held all the time since @since. Their lock set
 * is all that is asked of, so it admits more than there is.
 */
static hd_acq always_held(struct hd_lock_state *ls, const struct hd_walk *w,
			  const struct hd_mark *since)
{
	hd_lockset both = hd_lockset_meet(ls->sets, hd_acq_set(ls->acqs, since->acq),
					  hd_acq_set(ls->acqs, w->thread->acq));
	const uint64_t *locks;
	const bool *exclusive;
	hd_lockset kept = HD_LOCKSET_EMPTY;
	size_t n;

	locks = hd_lockset_members(ls->sets, both, &n, &exclusive);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < w->thread->nheld; k++) {
			const struct hd_held_lock *h = &w->thread->held[k];

			if (h->lock == locks[i] && h->index < since->spot.index)
				kept = hd_lockset_with(ls->sets, kept, h->lock, exclusive[i]);
		}
	}
	return hd_acq_of_set(ls->acqs, kept);
}

static uint32_t gap_of_points(const struct hd_walk *w, struct hd_lock_state *ls,
			      struct hd_pattern_store *s, const struct hd_mark *since)
{
	struct hd_gap_point points[HD_POINTS_MAX + 1];
	size_t n = 0;

	if (w->lost > since->segment) {
		points[0] = (struct hd_gap_point){ always_held(ls, w, since), since->moment,
						   w->moment };
		return put_gap(s, points, 1);
	}
	points[n++] = (struct hd_gap_point){ since->acq, since->moment, since->moment };
	for (unsigned i = 0; i < w->npoints; i++) {
		const struct hd_walk_point *pt = &w->points[i];

		if (pt->segment > since->segment &&
		    (pt->acq != since->acq || pt->moment != since->moment))
			points[n++] = (struct hd_gap_point){ pt->acq, pt->moment, pt->moment };
	}
	qsort(points, n, sizeof(*points), by_acq);
	return put_gap(s, points, n);
}

uint32_t hd_walk_gap(struct hd_walk *w, struct hd_lock_state *ls, struct hd_pattern_store *s,
		     const struct hd_mark *since)
{
	struct hd_gap_point pt = { w->thread->acq, w->moment, w->moment };

	if (since->segment == w->segment) {
		if (!w->here_gap)
			w->here_gap = put_gap(s, &pt, 1);
		return w->here_gap;
	}
	if (w->last_free < since->segment)
		return gap_of_points(w, ls, s, since);
	/*
	 * It held nothing in between. With forks or joins as well, it is taken to have held
	 * nothing in all of these moments: that may admit an f that only fits into
	 * a part in which it did hold something.
	 */
	pt.acq = HD_ACQ_NONE;
	if (since->moment != w->moment) {
		pt.first = since->moment;
		return put_gap(s, &pt, 1);
	}
	if (!w->free_gap)
		w->free_gap = put_gap(s, &pt, 1);
	return w->free_gap;
}
