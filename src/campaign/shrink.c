#include "shrink.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct hd_shrink {
	const struct hd_segment *list;
	size_t n;
	/* Leaving out: @size segments each, from @from on. */
	size_t size, from;
	/* Else letting run on: those that do not already. */
	const size_t *preempted;
};

/* Neighbours of one thread are one segment. */
static size_t join_neighbours(struct hd_segment *list, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		struct hd_segment *last = k ? &list[k - 1] : NULL;

		if (!last || last->thread != list[i].thread ||
		    (last->thread & (HD_SEGMENT_WAKE | HD_SEGMENT_READ))) {
			list[k++] = list[i];
			continue;
		}
		last->count = last->count > HD_SEGMENT_ON - list[i].count
				      ? HD_SEGMENT_ON
				      : last->count + list[i].count;
	}
	return k;
}

struct hd_segment *hd_shrink_variant(const struct hd_shrink *s, size_t i, size_t *n)
{
	struct hd_segment *out = malloc((s->n + 1) * sizeof(*out));
	size_t first = s->from + i * s->size, end = first + s->size < s->n ? first + s->size : s->n;

	if (!out)
		return NULL;
	if (s->preempted) {
		memcpy(out, s->list, s->n * sizeof(*out));
		out[s->preempted[i]].count = HD_SEGMENT_ON;
		*n = s->n;
		return out;
	}
	memcpy(out, s->list, first * sizeof(*out));
	memcpy(out + first, s->list + end, (s->n - end) * sizeof(*out));
	*n = join_neighbours(out, s->n - (end - first));
	return out;
}

struct work {
	struct hd_segment *list;
	size_t n;
	hd_shrink_first_fn *first;
	void *arg;
	bool stopped, progress;
};

/* Take variant @i over; the list was that of @s. */
static enum hd_err accept(struct work *w, const struct hd_shrink *s, size_t i)
{
	size_t n;
	struct hd_segment *list = hd_shrink_variant(s, i, &n);

	if (!list)
		return HD_ERR_NOMEM;
	free(w->list);
	w->list = list;
	w->n = n;
	w->progress = true;
	return HD_OK;
}

/*
 * Leave out pieces of @size, one after the other. What follows a piece that was left out moves
 * up into its place, so the position stays; joined neighbours make it approximate, and the
 * next round goes over everything again.
 */
static enum hd_err leave_out(struct work *w, size_t size)
{
	size_t from = 0;

	while (!w->stopped && from < w->n) {
		struct hd_shrink s = { .list = w->list, .n = w->n, .size = size, .from = from };
		size_t pieces = (w->n - from + size - 1) / size;
		size_t i = w->first(w->arg, &s, pieces);
		enum hd_err err;

		w->stopped = i == HD_SHRINK_STOP;
		if (w->stopped || i == HD_SHRINK_NONE)
			break;
		from += i * size;
		err = accept(w, &s, i);
		if (err)
			return err;
	}
	return HD_OK;
}

/* Older values that are read, one by one: a failure that needs fewer of them is easier to understand. */
static enum hd_err leave_out_reads(struct work *w)
{
	enum hd_err err = HD_OK;

	for (size_t i = 0; !err && !w->stopped && i < w->n;) {
		struct hd_shrink s = { .list = w->list, .n = w->n, .size = 1, .from = i };
		size_t k = HD_SHRINK_NONE;

		if (w->list[i].thread & HD_SEGMENT_READ)
			k = w->first(w->arg, &s, 1);
		w->stopped = k == HD_SHRINK_STOP;
		if (k == 0)
			err = accept(w, &s, 0);
		else
			i++;
	}
	return err;
}

/* Let each thread in turn run on until it waits or ends. */
static enum hd_err let_run_on(struct work *w)
{
	size_t *preempted = malloc((w->n + 1) * sizeof(*preempted));
	size_t from = 0;
	enum hd_err err = preempted ? HD_OK : HD_ERR_NOMEM;

	while (!err && !w->stopped) {
		struct hd_shrink s = { .list = w->list, .n = w->n, .preempted = preempted };
		size_t n = 0, i;

		for (i = from; i < w->n; i++) {
			if (w->list[i].count != HD_SEGMENT_ON &&
			    !(w->list[i].thread & (HD_SEGMENT_WAKE | HD_SEGMENT_READ)))
				preempted[n++] = i;
		}
		i = n ? w->first(w->arg, &s, n) : HD_SHRINK_NONE;
		w->stopped = i == HD_SHRINK_STOP;
		if (w->stopped || i == HD_SHRINK_NONE)
			break;
		from = preempted[i] + 1;
		err = accept(w, &s, i);
	}
	free(preempted);
	return err;
}

enum hd_err hd_shrink(struct hd_segment **list, size_t *n, hd_shrink_first_fn *first, void *arg)
{
	struct work w = { .list = *list, .n = *n, .first = first, .arg = arg, .progress = true };
	enum hd_err err = leave_out_reads(&w);

	while (!err && !w.stopped && w.progress) {
		w.progress = false;
		for (size_t size = w.n; size && !err && !w.stopped; size /= 2)
			err = leave_out(&w, size);
		if (!err && !w.stopped)
			err = let_run_on(&w);
	}
	*list = w.list;
	*n = w.n;
	return err;
}

void hd_shrink_by_bound(uint32_t preemptions, hd_shrink_bounded_fn *search, void *arg)
{
	enum hd_bounded answer = HD_BOUNDED_NONE;

	for (uint32_t bound = 0; bound < preemptions && answer == HD_BOUNDED_NONE; bound++)
		answer = search(arg, bound);
}
