#include "split_state.h"

#include <stdlib.h>

#include "common/array.h"
#include "heddle/engine/campaign_config.h"

#define MOST_AHEAD (1u << 20) /* rounds, of which each has some executions */

static uint64_t place_of(const struct hd_xdecision *f, const uint64_t *places)
{
	return f ? places[f->place] : UINT64_MAX;
}

static bool put_shared(FILE *out, const struct hd_xdecision *f, const uint64_t *places)
{
	uint64_t head[] = { place_of(f->up, places),
			    f->via,
			    f->awaited,
			    f->sleep,
			    f->busy == HD_X_NOTHING ? UINT64_MAX : f->busy,
			    f->settled };

	return hd_xput(out, head, sizeof(head)) && hd_xnode_write(&f->node, out);
}

static bool put_all_shared(FILE *out, const struct hd_xsplit *s, uint64_t *places)
{
	bool ok = hd_xput_number(out, s->shared_live);
	uint64_t n = 0;

	for (size_t i = 0; ok && i < s->nshared; i++) {
		if (!s->shared[i])
			continue;
		ok = put_shared(out, s->shared[i], places);
		places[i] = n++;
	}
	return ok;
}

static bool put_all_parts(FILE *out, const struct hd_xsplit *s, const uint64_t *places)
{
	bool ok = hd_xput_number(out, s->parts_live);

	for (size_t i = 0; ok && i < s->nslices; i++) {
		const struct hd_xpart *p = s->slices[i].part;

		if (!p)
			continue;
		ok = hd_xput(out,
			     (uint64_t[]){ place_of(p->at, places), p->via, p->age, p->born,
					   p->round },
			     5 * sizeof(uint64_t)) &&
		     hd_xput_bytes(out, p->task, p->len);
	}
	return ok;
}

static bool put_news(FILE *out, const struct hd_xbelow *b)
{
	uint64_t n = 0;
	bool ok;

	for (const struct hd_xnews *k = b->first; k; k = k->next)
		n++;
	ok = hd_xput_number(out, n);
	for (const struct hd_xnews *k = b->first; ok && k; k = k->next)
		ok = hd_xput_number(out, k->round) && hd_xput(out, &k->stats, sizeof(k->stats)) &&
		     hd_xput_wants(out, &k->wants) && hd_xput_bytes(out, k->said, k->said_len);
	return ok;
}

static bool put_all_news(FILE *out, const struct hd_xsplit *s)
{
	bool ok = put_news(out, &s->top);

	for (size_t i = 0; i < s->nshared; i++) {
		const struct hd_xdecision *f = s->shared[i];

		for (size_t k = 0; ok && f && k < f->node.nenabled; k++)
			ok = put_news(out, &f->below[k]);
	}
	return ok;
}

bool hd_xsplit_write(const struct hd_xsplit *s, FILE *out)
{
	uint64_t *places = calloc(s->nshared + 1, sizeof(*places));
	const uint64_t head[] = { s->stage,  s->part,	s->nportions, s->wanted, s->before,
				  s->digest, s->missed, s->nparts,    s->now };
	bool ok = places && hd_xput(out, &s->stats, sizeof(s->stats)) &&
		  hd_xput(out, head, sizeof(head)) && put_all_shared(out, s, places) &&
		  put_all_parts(out, s, places) && put_all_news(out, s);

	free(places);
	return ok;
}

/* The place after choice @via of the @up-th shared decision, if it is free. */
static struct hd_xbelow *free_slot(struct hd_xsplit *s, uint64_t up, uint64_t via)
{
	struct hd_xbelow *b;

	if (up != UINT64_MAX && (up >= s->nshared || via >= s->shared[up]->node.nenabled))
		return NULL;
	b = hd_xbelow_of(s, up == UINT64_MAX ? NULL : s->shared[up], (size_t)via);
	return b->part || b->shared ? NULL : b;
}

static bool get_shared(FILE *in, struct hd_xsplit *s)
{
	struct hd_xdecision *f = calloc(1, sizeof(*f));
	struct hd_xtree t = { 0 };
	struct hd_xbelow *slot = NULL;
	uint64_t head[6];
	bool ok = f && HD_ROOM(s->shared, s->shared_room, s->nshared + 1) &&
		  fread(head, sizeof(head), 1, in) == 1 && hd_xnode_read(in, &t) &&
		  t.nodes[0].nenabled && (slot = free_slot(s, head[0], head[1])) &&
		  (head[4] == UINT64_MAX || head[4] < t.nodes[0].nenabled);

	if (ok) {
		f->below = calloc(t.nodes[0].nenabled, sizeof(*f->below));
		ok = f->below;
	}
	if (!ok) {
		hd_xtree_free(&t);
		free(f);
		return false;
	}
	f->up = head[0] == UINT64_MAX ? NULL : s->shared[head[0]];
	f->via = (size_t)head[1];
	f->depth = f->up ? f->up->depth + 1 : 0;
	f->node = t.nodes[0];
	f->awaited = head[2];
	f->sleep = head[3];
	f->busy = head[4] == UINT64_MAX ? HD_X_NOTHING : (size_t)head[4];
	f->settled = head[5];
	f->place = s->nshared;
	t.n = 0;
	hd_xtree_free(&t);
	s->shared[s->nshared++] = f;
	s->shared_live++;
	slot->shared = f;
	return true;
}

static bool is_near(const struct hd_xsplit *s, uint64_t round)
{
	return round >= s->now && round - s->now < MOST_AHEAD;
}

static bool get_part(FILE *in, struct hd_xsplit *s)
{
	uint64_t head[5];
	struct hd_xpart *p = calloc(1, sizeof(*p));

	if (!p || fread(head, sizeof(head), 1, in) != 1 || !free_slot(s, head[0], head[1]) ||
	    !is_near(s, head[4]) || !hd_xget_bytes(in, &p->task, &p->len)) {
		free(p);
		return false;
	}
	p->at = head[0] == UINT64_MAX ? NULL : s->shared[head[0]];
	p->via = (size_t)head[1];
	p->age = (unsigned)head[2];
	p->born = head[3];
	p->round = head[4];
	return hd_xpart_put(s, p);
}

/* By rounds. */
static bool get_news(FILE *in, struct hd_xsplit *s, struct hd_xbelow *b)
{
	uint64_t n, round;
	bool ok = hd_xget_number(in, &n);

	for (; ok && n; n--) {
		struct hd_xnews *k;

		if (!hd_xget_number(in, &round) || !is_near(s, round) ||
		    (b->first && round < b->last->round))
			return false;
		k = calloc(1, sizeof(*k));
		if (!k)
			return false;
		k->round = round;
		hd_xnews_tell(b, k);
		ok = hd_xstats_read(in, &k->stats) && hd_xget_wants(in, &k->wants) &&
		     hd_xget_bytes(in, &k->said, &k->said_len);
	}
	return ok;
}

static bool get_all_news(FILE *in, struct hd_xsplit *s)
{
	bool ok = get_news(in, s, &s->top);

	for (size_t i = 0; ok && i < s->nshared; i++) {
		struct hd_xdecision *f = s->shared[i];

		for (size_t k = 0; ok && k < f->node.nenabled; k++)
			ok = get_news(in, s, &f->below[k]);
	}
	return ok;
}

/* Is something below every shared decision, will whoever is waited for tell something, and was all heard that can be? */
static bool adds_up(struct hd_xsplit *s)
{
	for (size_t i = s->nshared; i-- > 0;) {
		struct hd_xdecision *f = s->shared[i];
		const struct hd_xbelow *b = f->busy == HD_X_NOTHING ? NULL : &f->below[f->busy];

		f->round = hd_xdecision_round(f);
		if (f->round == HD_X_NOTHING || hd_xdecision_first_told(f) < f->round ||
		    (b && !b->part && !b->shared && !b->first))
			return false;
	}
	return true;
}

static bool get_head(FILE *in, struct hd_xsplit *s)
{
	uint64_t v[9];

	if (fread(v, sizeof(v), 1, in) != 1 || v[0] > HD_STAGE_DEALT ||
	    (v[0] != HD_STAGE_OURS_ALONE && (v[1] < 1 || v[1] > v[2] || v[2] > HD_MOST_PARTS)) ||
	    !v[7] || v[8] > UINT64_MAX / 2)
		return false;
	s->stage = v[0];
	s->part = v[1];
	s->nportions = v[2];
	s->wanted = v[3];
	s->before = v[4];
	s->digest = v[5];
	s->missed = v[6];
	s->nparts = v[7];
	s->base = s->low = s->now = v[8];
	return true;
}

enum hd_err hd_xsplit_read(struct hd_xsplit *s, FILE *in)
{
	uint64_t n;
	bool ok = hd_xstats_read(in, &s->stats) && get_head(in, s) && hd_xget_number(in, &n);

	for (; ok && n; n--)
		ok = get_shared(in, s);
	ok = ok && hd_xget_number(in, &n);
	for (; ok && n; n--)
		ok = get_part(in, s);
	return ok && get_all_news(in, s) && !hd_xsplit_is_all(s) && adds_up(s) ? HD_OK
									       : HD_ERR_CORRUPT;
}
