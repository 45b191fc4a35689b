#include "split_state.h"

#include <stdlib.h>

#include "rounds.h"

struct hd_xsplit *hd_xsplit_new(void)
{
	return calloc(1, sizeof(struct hd_xsplit));
}

void hd_xsplit_take(struct hd_xsplit *s, hd_xtaken_fn *taken, void *arg)
{
	s->taken = taken;
	s->arg = arg;
}

bool hd_xsplit_has_begun(const struct hd_xsplit *s)
{
	return s->nparts > 0;
}

void hd_xsplit_free(struct hd_xsplit *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nslices; i++) {
		if (s->slices[i].part)
			hd_xpart_free(s->slices[i].part);
	}
	for (size_t i = 0; i < s->nshared; i++) {
		if (s->shared[i])
			hd_xdecision_free(s, s->shared[i]);
	}
	hd_xbelow_free(&s->top);
	for (size_t i = 0; i < s->nrounds; i++)
		free(s->rounds[i].waiting);
	free(s->rounds);
	free(s->shared);
	free(s->slices);
	free(s);
}

enum hd_err hd_xsplit_begin(struct hd_xsplit *s, struct hd_xposition *p,
			    const struct hd_xstats *before)
{
	bool ok = hd_xpart_add(s, NULL, 0, p, 0);

	s->stats = *before;
	hd_xposition_free(p);
	return ok ? HD_OK : HD_ERR_NOMEM;
}

/* ---- taking in --------------------------------------------------------------------- */

static struct hd_xnews *news_of(struct hd_xresult *r, uint64_t round)
{
	struct hd_xnews *n = malloc(sizeof(*n));

	if (!n)
		return NULL;
	*n = (struct hd_xnews){ .round = round,
				.stats = r->stats,
				.wants = r->wants,
				.said = r->said,
				.said_len = r->said_len };
	r->wants = (struct hd_xwants){ 0 };
	r->said = NULL;
	return n;
}

static void add_stats(struct hd_xstats *sum, const struct hd_xstats *s)
{
	uint64_t cut = sum->cut, too_long = sum->too_long;

	hd_xstats_add(sum, s);
	sum->cut += cut; /* of a round in parts all of them count */
	if (too_long > sum->too_long)
		sum->too_long = too_long;
	sum->complete = false;
}

bool hd_xsplit_is_all(const struct hd_xsplit *s)
{
	return !s->top.part && !s->top.shared && !s->top.first;
}

static void take_in(struct hd_xsplit *s, struct hd_xnews *n)
{
	add_stats(&s->stats, &n->stats);
	if (!s->taken(s->arg, &n->stats, n->said, n->said_len))
		s->stopped = true;
	hd_xnews_free(n);
}

/* All rounds that are over. */
static bool take_in_rounds(struct hd_xsplit *s)
{
	bool ok = true;

	while (ok && !s->over && s->top.first && s->top.first->round < hd_xbelow_round(&s->top)) {
		const uint64_t round = s->top.first->round;
		struct hd_xnews *n;

		while ((n = hd_xnews_next(&s->top, round)))
			take_in(s, n);
		s->now = round + 1;
		if (!s->stopped && !hd_xsplit_is_all(s))
			ok = hd_xsplit_look_at_stage(s);
		s->stats.complete = hd_xsplit_is_all(s);
		s->over = s->stopped || s->stats.complete;
	}
	return ok;
}

/* What came of the slice of @p, which is well formed. */
static bool put_result(struct hd_xsplit *s, struct hd_xpart *p, struct hd_xresult *r)
{
	struct hd_xnews *n = news_of(r, p->round);
	struct hd_xdecision *at;

	if (!n)
		return false;
	hd_xnews_tell(hd_xbelow_of(s, p->at, p->via), n);
	free(p->task);
	p->task = r->next;
	p->len = r->next_len;
	r->next = NULL;
	p->round++;
	p->age += !hd_xsplit_is_common(s);
	if (!hd_xpart_share(s, p, r))
		return false;
	at = p->at;
	s->slices[p->number].part = NULL;
	if (r->complete)
		hd_xpart_end(s, p);
	else if (!hd_xpart_add_slice(s, p))
		return false;
	return hd_xdecision_climb(s, at) && take_in_rounds(s);
}

enum hd_err hd_xsplit_done(struct hd_xsplit *s, uint64_t number, const char *bytes, size_t len)
{
	struct hd_xpart *p = hd_xsplit_is_away(s, number) ? s->slices[number].part : NULL;
	struct hd_xresult r;
	bool ok;

	if (!p)
		return HD_OK; /* it was done by somebody else */
	if (!hd_xresult_read(bytes, len, &r)) {
		hd_xsplit_lost(s, number);
		return HD_ERR_CORRUPT;
	}
	if (!hd_xpart_learn_choice(p, &r)) {
		hd_xresult_free(&r);
		hd_xsplit_lost(s, number);
		return HD_ERR_CORRUPT;
	}
	s->slices[number].away = false;
	s->away--;
	ok = put_result(s, p, &r);
	hd_xresult_free(&r);
	return ok ? HD_OK : HD_ERR_NOMEM;
}

enum hd_err hd_xsplit_go_on(struct hd_xsplit *s)
{
	return take_in_rounds(s) ? HD_OK : HD_ERR_NOMEM;
}

bool hd_xsplit_is_over(const struct hd_xsplit *s)
{
	return s->over;
}

const struct hd_xstats *hd_xsplit_stats(const struct hd_xsplit *s)
{
	return &s->stats;
}

struct hd_xsplit_load hd_xsplit_load(const struct hd_xsplit *s)
{
	return (struct hd_xsplit_load){ .slices = s->nslices,
					.parts = s->nparts,
					.shared = s->shared_live,
					.waiting = s->waiting,
					.away = s->away };
}
