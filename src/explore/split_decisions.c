#include "split_state.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

void hd_xnews_free(struct hd_xnews *n)
{
	hd_xwants_free(&n->wants);
	free(n->said);
	free(n);
}

void hd_xnews_tell(struct hd_xbelow *b, struct hd_xnews *n)
{
	n->next = NULL;
	if (b->first)
		b->last->next = n;
	else
		b->first = n;
	b->last = n;
}

struct hd_xnews *hd_xnews_next(struct hd_xbelow *b, uint64_t round)
{
	struct hd_xnews *n = b->first;

	if (!n || n->round != round)
		return NULL;
	b->first = n->next;
	return n;
}

void hd_xbelow_free(struct hd_xbelow *b)
{
	while (b->first)
		hd_xnews_free(hd_xnews_next(b, b->first->round));
}

/* ---- shared decisions ------------------------------------------------------------------ */

static void node_clear(struct hd_xtreenode *n)
{
	for (size_t i = 0; i < n->nchoices; i++)
		free(n->choices[i].ops);
	free(n->choices);
	hd_xwakeup_free(&n->wakeup);
}

void hd_xdecision_free(struct hd_xsplit *s, struct hd_xdecision *f)
{
	s->shared[f->place] = NULL;
	s->shared_live--;
	for (size_t i = 0; i < f->node.nenabled; i++)
		hd_xbelow_free(&f->below[i]);
	free(f->below);
	node_clear(&f->node);
	free(f);
}

/* Between @p and what was before it; above, it is there in place of the part. */
static struct hd_xdecision *add_shared(struct hd_xsplit *s, struct hd_xpart *p,
				       const struct hd_xtreenode *n)
{
	struct hd_xdecision *f = calloc(1, sizeof(*f));
	struct hd_xbelow *below = calloc(n->nenabled, sizeof(*below)), *slot;

	if (!f || !below || !HD_ROOM(s->shared, s->shared_room, s->nshared + 1)) {
		free(f);
		free(below);
		return NULL;
	}
	*f = (struct hd_xdecision){ .up = p->at,
				    .via = p->via,
				    .depth = p->at ? p->at->depth + 1 : 0,
				    .node = *n,
				    .below = below,
				    .busy = HD_X_NOTHING,
				    .place = s->nshared };
	s->shared[s->nshared++] = f;
	s->shared_live++;
	slot = hd_xbelow_of(s, p->at, p->via);
	slot->part = NULL;
	slot->shared = f;
	p->at = f;
	p->via = n->chosen;
	f->below[p->via].part = p;
	return f;
}

static bool covers(const struct hd_xdecision *f, uint32_t thread)
{
	struct hd_xchoice *c = hd_xtree_choice((struct hd_xtreenode *)&f->node, thread);

	return c && (c->wanted || c->asleep);
}

/* As want_first() in reversal.c. Where all is wanted anyway, nothing is left to do. */
static void apply_want(struct hd_xsplit *s, struct hd_xdecision *f, const struct hd_xwant *w)
{
	for (size_t i = 0; i < w->nthreads; i++) {
		if (covers(f, w->threads[i]))
			return;
	}
	for (size_t i = 0; i < w->nthreads; i++) {
		struct hd_xchoice *c = hd_xtree_choice(&f->node, w->threads[i]);

		if (c) {
			s->missed |= f->settled;
			c->wanted = true;
			return;
		}
	}
	for (size_t i = 0; w->forced && i < f->node.nenabled; i++) {
		s->missed |= f->settled && !f->node.choices[i].wanted;
		f->node.choices[i].wanted = true;
	}
}

/* The decisions up to @f, and of it choice @choice alone to be tried. Operations are borrowed. */
static bool lay_path(struct hd_xtree *t, const struct hd_xdecision *f, size_t choice)
{
	size_t n = f->depth + 1, via = choice;

	t->nodes = calloc(n, sizeof(*t->nodes));
	for (size_t k = n; t->nodes && k-- > 0; via = f->via, f = f->up) {
		struct hd_xtreenode *node = &t->nodes[k];
		const bool last = k + 1 == n;

		*node = f->node;
		node->wakeup = (struct hd_xwakeup){ 0 };
		node->nchoices = last ? f->node.nchoices : 1;
		node->nenabled = last ? f->node.nenabled : 1;
		node->chosen = last ? choice : 0;
		node->choices = calloc(node->nchoices + 1, sizeof(*node->choices));
		if (!node->choices)
			return false;
		t->n++;
		if (!last) {
			node->choices[0] = f->node.choices[via];
			continue;
		}
		memcpy(node->choices, f->node.choices, node->nchoices * sizeof(*node->choices));
		for (size_t i = 0; i < node->nenabled; i++)
			node->choices[i].wanted = i == choice;
	}
	return t->nodes;
}

static bool begin_choice(struct hd_xsplit *s, struct hd_xdecision *f, size_t choice, uint64_t round)
{
	struct hd_xposition p = {
		.tree = { .sleep = f->sleep, .awaited = f->awaited, .fresh = true }
	};
	size_t n = f->depth + 1;
	bool ok;

	p.tree.base = n;
	ok = lay_path(&p.tree, f, choice) && hd_xpart_add(s, f, choice, &p, round);
	for (size_t k = 0; p.tree.nodes && k < n; k++)
		free(p.tree.nodes[k].choices);
	free(p.tree.nodes);
	f->node.choices[choice].done = true;
	return ok;
}

/* Choices that are left at @f become parts: one at a time, where the next one sleeps by what the last one does. */
static bool begin_left(struct hd_xsplit *s, struct hd_xdecision *f, uint64_t round)
{
	while (f->busy == HD_X_NOTHING) {
		size_t i = hd_xtree_next(&f->node);

		if (i == f->node.nenabled)
			return true;
		if (!begin_choice(s, f, i, round))
			return false;
		if (f->sleep && f->node.why == HD_X_RUN)
			f->busy = i;
	}
	return true;
}

/* ---- what is told, on its way up ----------------------------------------------------------- */

uint64_t hd_xbelow_round(const struct hd_xbelow *b)
{
	return b->part ? b->part->round : b->shared ? b->shared->round : HD_X_NOTHING;
}

uint64_t hd_xdecision_round(const struct hd_xdecision *f)
{
	uint64_t round = HD_X_NOTHING;

	for (size_t i = 0; i < f->node.nenabled; i++) {
		uint64_t r = hd_xbelow_round(&f->below[i]);

		if (r < round)
			round = r;
	}
	return round;
}

uint64_t hd_xdecision_first_told(const struct hd_xdecision *f)
{
	uint64_t round = HD_X_NOTHING;

	for (size_t i = 0; i < f->node.nenabled; i++) {
		if (f->below[i].first && f->below[i].first->round < round)
			round = f->below[i].first->round;
	}
	return round;
}

/* What choice @choice has told: its first slice tells what it does. */
static bool hear_one(struct hd_xsplit *s, struct hd_xdecision *f, size_t choice, struct hd_xnews *n)
{
	const uint64_t round = n->round;

	if (f->busy == choice)
		f->busy = HD_X_NOTHING;
	for (size_t i = 0; i < n->wants.n; i++) {
		if (n->wants.list[i].node == f->depth)
			apply_want(s, f, &n->wants.list[i]);
	}
	hd_xnews_tell(hd_xbelow_of(s, f->up, f->via), n);
	return begin_left(s, f, round + 1);
}

/* A round is heard when it is over everywhere below, choice by choice: so it does not matter who was faster. */
static bool hear(struct hd_xsplit *s, struct hd_xdecision *f, bool *changed)
{
	const uint64_t before = f->round;
	uint64_t round;

	*changed = false;
	for (round = hd_xdecision_first_told(f); round < hd_xdecision_round(f);
	     round = hd_xdecision_first_told(f)) {
		for (size_t i = 0; i < f->node.nenabled; i++) {
			struct hd_xnews *n;

			while ((n = hd_xnews_next(&f->below[i], round))) {
				*changed = true;
				if (!hear_one(s, f, i, n))
					return false;
			}
		}
	}
	f->round = hd_xdecision_round(f);
	*changed |= f->round != before;
	return true;
}

bool hd_xdecision_climb(struct hd_xsplit *s, struct hd_xdecision *f)
{
	bool changed = true;

	while (f && changed) {
		struct hd_xdecision *up = f->up;

		if (!hear(s, f, &changed))
			return false;
		if (f->round == HD_X_NOTHING) {
			hd_xbelow_of(s, up, f->via)->shared = NULL;
			hd_xdecision_free(s, f);
		}
		f = up;
	}
	return true;
}

bool hd_xpart_learn_choice(struct hd_xpart *p, struct hd_xresult *r)
{
	struct hd_xdecision *f = p->at;
	struct hd_xchoice *told;

	if (!f || f->busy != p->via || p->age > 0)
		return true;
	if (!r->tried.n)
		return false;
	told = &r->tried.nodes[0].choices[0];
	free(f->node.choices[p->via].ops);
	f->node.choices[p->via].ops = told->ops;
	f->node.choices[p->via].nops = told->nops;
	told->ops = NULL;
	told->nops = 0;
	return true;
}

bool hd_xpart_share(struct hd_xsplit *s, struct hd_xpart *p, struct hd_xresult *r)
{
	const size_t first = s->nshared;
	bool ok = true;

	for (size_t i = 0; i < r->shared.n; i++) {
		struct hd_xdecision *f = add_shared(s, p, &r->shared.nodes[i]);

		if (!f)
			return false;
		r->shared.nodes[i] = (struct hd_xtreenode){ 0 };
		f->awaited = r->awaited;
		f->sleep = r->sleep;
	}
	for (size_t i = s->nshared; ok && i-- > first;)
		ok = begin_left(s, s->shared[i], p->round);
	return ok;
}
