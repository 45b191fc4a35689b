#include "exhaustive.h"

#include <assert.h>
#include <string.h>

#define SEEN (1u << 15)

struct world {
	uint8_t at[4]; /* steps that each thread has made */
	bool lost[4];  /* it read another value */
	uint8_t memory[4];
	uint8_t owner[4]; /* thread + 1 */
	uint8_t readers[4];
	uint8_t permits[4];
	uint8_t order_met; /* how many of the goal's order have happened, in order */
};

struct explorer {
	const struct hd_instance *in;
	const struct hd_step_goal *goal;
	uint32_t list[4][16]; /* the steps of each thread */
	uint8_t length[4];
	uint32_t must; /* how many of the order have to happen */
};

static uint64_t seen[SEEN];

/*
 * Positions, losses and values are the whole state: locks follow from positions, and how
 * much of the order was met does too, as nothing happens out of order. So 64 bits tell all.
 */
static bool first_time(const struct world *w)
{
	uint64_t key = 1;
	size_t i;

	for (int t = 0; t < 4; t++)
		key = key << 7 | (uint64_t)w->at[t] << 3 | (uint64_t)w->lost[t] << 2 | w->memory[t];
	for (i = (key * 0x9e3779b97f4a7c15ull) >> 49; seen[i]; i = (i + 1) % SEEN)
		if (seen[i] == key)
			return false;
	seen[i] = key;
	return true;
}

static bool forked(const struct explorer *e, const struct world *w, uint32_t t)
{
	for (uint32_t u = 0; u < e->in->nthreads; u++)
		for (uint32_t i = 0; i < e->length[u]; i++) {
			const struct hd_step *s = &e->in->steps[e->list[u][i]];

			if (s->kind == HD_STEP_FORK && s->object == t)
				return w->at[u] > i;
		}
	return true;
}

static bool met(const struct explorer *e, const struct world *w)
{
	if (w->order_met < e->must)
		return false;
	for (size_t i = 0; i < e->goal->nnext; i++) {
		uint32_t t = e->in->steps[e->goal->next[i]].thread;

		if (w->lost[t] || w->at[t] >= e->length[t] || !forked(e, w, t) ||
		    e->list[t][w->at[t]] != e->goal->next[i])
			return false;
	}
	return true;
}

static bool may_see_anything(const struct explorer *e, uint32_t step)
{
	for (size_t i = e->goal->norder; !e->in->steps[step].firm && i-- > 0;)
		if (e->in->steps[e->goal->order[i]].thread == e->in->steps[step].thread)
			return e->goal->order[i] == step;
	return false;
}

static bool happen(const struct explorer *e, struct world *w, uint32_t t, uint32_t step)
{
	const struct hd_step *s = &e->in->steps[step];

	switch (s->kind) {
	case HD_STEP_READ:
		if (e->goal->ignore_values && !s->firm)
			return true;
		if (e->goal->ignore_assumed && s->assumed)
			return true;
		w->lost[t] = w->memory[s->object] != s->value;
		return !w->lost[t] || may_see_anything(e, step);
	case HD_STEP_WRITE:
		w->memory[s->object] = (uint8_t)s->value;
		return true;
	case HD_STEP_ACQUIRE:
		if (w->owner[s->object] || (!s->shared && w->readers[s->object]))
			return false;
		if (s->shared)
			w->readers[s->object]++;
		else
			w->owner[s->object] = (uint8_t)(t + 1);
		return true;
	case HD_STEP_RELEASE:
		if (s->shared)
			w->readers[s->object]--;
		else
			w->owner[s->object] = 0;
		return true;
	case HD_STEP_JOIN:
		return forked(e, w, s->object) && w->at[s->object] == e->length[s->object] &&
		       !w->lost[s->object];
	case HD_STEP_POST:
		w->permits[s->object]++;
		return true;
	case HD_STEP_DOWN:
		if (!w->permits[s->object])
			return false;
		w->permits[s->object]--;
		return true;
	case HD_STEP_FAIL:
		return w->owner[s->object] || (!s->shared && w->readers[s->object]);
	default:
		return true;
	}
}

static bool move(const struct explorer *e, struct world *w, uint32_t t)
{
	uint32_t step;

	if (w->lost[t] || w->at[t] == e->length[t] || !forked(e, w, t))
		return false;
	step = e->list[t][w->at[t]];
	if (!happen(e, w, t, step))
		return false;
	for (size_t i = 0; i < e->goal->norder; i++)
		if (e->goal->order[i] == step) {
			if (i >= e->must || i != w->order_met)
				return false; /* too early, twice, or never wanted */
			w->order_met++;
		}
	w->at[t]++;
	return true;
}

static bool explore(const struct explorer *e, const struct world *from)
{
	if (met(e, from))
		return true;
	if (!first_time(from))
		return false;
	for (uint32_t t = 0; t < e->in->nthreads; t++) {
		struct world w = *from;

		if (move(e, &w, t) && explore(e, &w))
			return true;
	}
	return false;
}

static void prepare(struct explorer *e, struct world *w)
{
	const struct hd_instance *in = e->in;

	assert(in->nthreads <= 4 && in->nlocations <= 4 && in->nlocks <= 4 && in->nsemaphores <= 4);
	for (uint32_t i = 0; i < in->nsteps; i++) {
		uint32_t t = in->steps[i].thread;

		assert(e->length[t] < 15 && in->steps[i].value < 4);
		e->list[t][e->length[t]++] = i;
	}
	for (uint32_t x = 0; x < in->nlocations; x++)
		w->memory[x] = (uint8_t)in->init[x];
	for (uint32_t x = 0; x < in->nsemaphores; x++)
		w->permits[x] = (uint8_t)in->permits[x];
	e->must = (uint32_t)(e->goal->norder - (e->goal->open_end && e->goal->norder));
}

/* A step named twice in the order would have to happen twice. */
static bool named_twice(const struct hd_step_goal *goal)
{
	for (size_t i = 0; i < goal->norder; i++)
		for (size_t k = i + 1; k < goal->norder; k++)
			if (goal->order[i] == goal->order[k])
				return true;
	return false;
}

bool exhaustive_feasible(const struct hd_instance *in, const struct hd_step_goal *goal)
{
	struct explorer e = { .in = in, .goal = goal };
	struct world w = { 0 };

	if (named_twice(goal))
		return false;
	prepare(&e, &w);
	memset(seen, 0, sizeof(seen));
	return explore(&e, &w);
}

bool exhaustive_accepts(const struct hd_instance *in, const struct hd_step_goal *goal,
			const uint32_t *steps, size_t nsteps)
{
	struct explorer e = { .in = in, .goal = goal };
	struct world w = { 0 };

	if (named_twice(goal))
		return false;
	prepare(&e, &w);
	for (size_t i = 0; i < nsteps; i++) {
		uint32_t t = in->steps[steps[i]].thread;

		if (w.at[t] == e.length[t] || e.list[t][w.at[t]] != steps[i] || !move(&e, &w, t))
			return false;
	}
	return met(&e, &w);
}

enum hd_answer exhaustive_answer(const struct hd_instance *in, const struct hd_step_goal *goal)
{
	struct hd_step_goal bare = *goal;

	if (exhaustive_feasible(in, goal))
		return HD_FEASIBLE;
	bare.ignore_assumed = true;
	return exhaustive_feasible(in, &bare) ? HD_UNDECIDED : HD_INFEASIBLE;
}
