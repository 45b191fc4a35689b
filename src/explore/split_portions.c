#include "split_state.h"

#include <stdlib.h>

#include "common/hash.h"

#define EFFORT                                                                                     \
	64u /* executions for each part that is wanted; then those that are there are dealt out */

void hd_xsplit_deal(struct hd_xsplit *s, unsigned part, unsigned parts, unsigned each)
{
	s->stage = parts > 1 ? HD_STAGE_SPREADING : HD_STAGE_OURS_ALONE;
	s->part = part;
	s->nportions = parts;
	s->wanted = (uint64_t)parts * each;
	s->before = s->stats.executions;
}

bool hd_xsplit_is_dealt(const struct hd_xsplit *s)
{
	return s->stage == HD_STAGE_DEALT;
}

uint64_t hd_xsplit_digest(const struct hd_xsplit *s)
{
	return s->digest;
}

bool hd_xsplit_missed(const struct hd_xsplit *s)
{
	return s->missed;
}

/* Is there a choice that is no part yet, or one of which nobody knows what it does? */
static bool any_choice_left(const struct hd_xsplit *s)
{
	for (size_t i = 0; i < s->nshared; i++) {
		const struct hd_xdecision *f = s->shared[i];

		if (f && (f->busy != HD_X_NOTHING || hd_xtree_next(&f->node) < f->node.nenabled))
			return true;
	}
	return false;
}

/* In the order of their paths. */
static int by_path(const void *a, const void *b, void *slices)
{
	const struct hd_xslice *list = slices;
	const struct hd_xpart *p = list[*(const size_t *)a].part,
			      *q = list[*(const size_t *)b].part;
	const struct hd_xdecision *f = p->at, *g = q->at;
	size_t i = p->via, k = q->via;

	while (f != g) {
		if (!g || (f && f->depth > g->depth)) {
			i = f->via;
			f = f->up;
		} else {
			k = g->via;
			g = g->up;
		}
	}
	return i < k ? -1 : i > k;
}

/* Where a part begins, and what sleeps there: by threads, as addresses may differ from machine to machine. */
static uint64_t add_to_digest(uint64_t h, const struct hd_xpart *p)
{
	size_t via = p->via;

	for (const struct hd_xdecision *f = p->at; f; via = f->via, f = f->up) {
		for (size_t i = 0; i < f->node.nchoices; i++) {
			const struct hd_xchoice *c = &f->node.choices[i];
			uint32_t v[] = { c->thread, c->wanted, c->done, c->asleep, i == via };

			h = hd_fnv_bytes(h, v, sizeof(v));
		}
	}
	return h;
}

/* Every part that is left has one slice, which waits in the present round. */
static bool deal_out(struct hd_xsplit *s)
{
	struct hd_xround *r = &s->rounds[s->now - s->base];
	size_t n = 0;
	bool ok = true;

	qsort_r(r->waiting, r->n, sizeof(*r->waiting), by_path, s->slices);
	s->digest = hd_fnv_bytes(HD_FNV_START, &s->nportions, sizeof(s->nportions));
	for (size_t i = 0; i < r->n; i++)
		s->digest = add_to_digest(s->digest, s->slices[r->waiting[i]].part);
	for (size_t i = 0; i < s->nshared; i++) {
		if (s->shared[i])
			s->shared[i]->settled = true;
	}
	for (size_t i = 0; i < r->n; i++) {
		struct hd_xpart *p = s->slices[r->waiting[i]].part;
		struct hd_xdecision *at = p->at;

		if (i % s->nportions == s->part - 1) {
			r->waiting[n++] = r->waiting[i];
			continue;
		}
		hd_xpart_end(s, p);
		ok = ok && hd_xdecision_climb(s, at);
	}
	s->waiting = r->n = n;
	s->stage = HD_STAGE_DEALT;
	return ok;
}

bool hd_xsplit_look_at_stage(struct hd_xsplit *s)
{
	if (s->stage == HD_STAGE_SPREADING &&
	    (s->parts_live >= s->wanted || s->stats.executions - s->before >= EFFORT * s->wanted))
		s->stage = HD_STAGE_SETTLING;
	return s->stage != HD_STAGE_SETTLING || any_choice_left(s) || deal_out(s);
}
