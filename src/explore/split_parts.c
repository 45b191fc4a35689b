#include "split_state.h"

#include <stdlib.h>

#include "common/array.h"

/*
 * Executions of the first slice of a part, and four times as many in each later one. What the first parts leave is soon work for
 * many; those that begin in later rounds are many already, and most are small: one that is left whole costs fewer messages.
 */
#define EARLY		4u
#define LATER		64u
#define SPREAD		12u /* rounds */
#define GROWTH		3u  /* times four */
#define MOST_EXECUTIONS 256u

void hd_xpart_free(struct hd_xpart *p)
{
	free(p->task);
	free(p);
}

struct hd_xbelow *hd_xbelow_of(struct hd_xsplit *s, struct hd_xdecision *up, size_t via)
{
	return up ? &up->below[via] : &s->top;
}

static bool room_for_round(struct hd_xsplit *s, uint64_t round)
{
	size_t n = (size_t)(round - s->base) + 1;

	if (!HD_ROOM_ZEROED(s->rounds, s->rounds_room, n))
		return false;
	if (s->nrounds < n)
		s->nrounds = n;
	return true;
}

static bool let_wait(struct hd_xsplit *s, size_t number)
{
	uint64_t round = s->slices[number].part->round;
	struct hd_xround *r;

	if (!room_for_round(s, round))
		return false;
	r = &s->rounds[round - s->base];
	if (!HD_ROOM(r->waiting, r->room, r->n + 1))
		return false;
	r->waiting[r->n++] = number;
	s->waiting++;
	if (round < s->low)
		s->low = round;
	return true;
}

bool hd_xpart_add_slice(struct hd_xsplit *s, struct hd_xpart *p)
{
	if (!HD_ROOM(s->slices, s->slices_room, s->nslices + 1))
		return false;
	s->slices[s->nslices] = (struct hd_xslice){ .part = p };
	p->number = s->nslices++;
	return let_wait(s, p->number);
}

bool hd_xpart_put(struct hd_xsplit *s, struct hd_xpart *p)
{
	hd_xbelow_of(s, p->at, p->via)->part = p;
	s->parts_live++;
	if (hd_xpart_add_slice(s, p))
		return true;
	s->nslices--; /* nothing else points to it */
	hd_xbelow_of(s, p->at, p->via)->part = NULL;
	hd_xpart_free(p);
	return false;
}

bool hd_xpart_add(struct hd_xsplit *s, struct hd_xdecision *at, size_t via,
		  const struct hd_xposition *p, uint64_t round)
{
	struct hd_xpart *part = calloc(1, sizeof(*part));

	if (!part)
		return false;
	*part = (struct hd_xpart){ .at = at, .via = via, .born = round, .round = round };
	part->task = hd_xtask_bytes(p, &part->len);
	if (!part->task) {
		free(part);
		return false;
	}
	s->nparts++;
	return hd_xpart_put(s, part);
}

void hd_xpart_end(struct hd_xsplit *s, struct hd_xpart *p)
{
	hd_xbelow_of(s, p->at, p->via)->part = NULL;
	s->slices[p->number].part = NULL;
	s->parts_live--;
	hd_xpart_free(p);
}

static uint64_t executions_of(const struct hd_xpart *p)
{
	unsigned first = p->born < SPREAD ? EARLY : LATER;
	uint64_t n = (uint64_t)first << 2 * (p->age < GROWTH ? p->age : GROWTH);

	return n < MOST_EXECUTIONS ? n : MOST_EXECUTIONS;
}

bool hd_xsplit_is_common(const struct hd_xsplit *s)
{
	return s->stage == HD_STAGE_SPREADING || s->stage == HD_STAGE_SETTLING;
}

bool hd_xsplit_next(struct hd_xsplit *s, struct hd_xtask *task)
{
	static const enum hd_xshare shares[] = { [HD_STAGE_SPREADING] = HD_SHARE_ALL,
						 [HD_STAGE_SETTLING] = HD_SHARE_NOTHING,
						 [HD_STAGE_DEALT] = HD_SHARE_WANTED };
	struct hd_xpart *p;
	struct hd_xround *r;
	size_t number;

	if (s->over || !s->waiting)
		return false;
	while (!s->rounds[s->low - s->base].n)
		s->low++;
	if (hd_xsplit_is_common(s) && s->low > s->now)
		return false;
	r = &s->rounds[s->low - s->base];
	number = r->waiting[--r->n];
	p = s->slices[number].part;
	s->slices[number].away = true;
	s->away++;
	s->waiting--;
	*task = (struct hd_xtask){ .number = number,
				   .executions = hd_xsplit_is_common(s) ? 1 : executions_of(p),
				   .share = shares[s->stage],
				   .bytes = p->task,
				   .len = p->len };
	return true;
}

bool hd_xsplit_has_spare(const struct hd_xsplit *s, unsigned hands)
{
	return s->waiting && s->waiting >= hands;
}

bool hd_xsplit_is_away(const struct hd_xsplit *s, uint64_t number)
{
	return number < s->nslices && s->slices[number].away;
}

void hd_xsplit_lost(struct hd_xsplit *s, uint64_t number)
{
	if (!hd_xsplit_is_away(s, number))
		return;
	s->slices[number].away = false;
	s->away--;
	let_wait(s, number); /* there was room for it before */
}
