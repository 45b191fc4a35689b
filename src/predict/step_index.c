#include "predict/step_index.h"

#include <stdlib.h>
#include <string.h>

static enum hd_err check_step(const struct hd_instance *in, size_t pos, struct hd_errbuf *eb)
{
	const struct hd_step *s = &in->steps[pos];
	uint32_t limit = UINT32_MAX;

	if (s->kind == HD_STEP_READ || s->kind == HD_STEP_WRITE)
		limit = in->nlocations;
	else if (hd_step_locks(s) || s->kind == HD_STEP_FAIL)
		limit = in->nlocks;
	else if (s->kind == HD_STEP_POST || s->kind == HD_STEP_DOWN)
		limit = in->nsemaphores;
	else if (s->kind == HD_STEP_FORK || s->kind == HD_STEP_JOIN)
		limit = in->nthreads;
	if ((s->kind == HD_STEP_FORK || s->kind == HD_STEP_JOIN) && s->object == s->thread)
		return hd_fail(eb, HD_ERR_INVALID, "step %zu forks or joins its own thread", pos);
	if (s->kind > HD_STEP_FAIL)
		return hd_fail(eb, HD_ERR_INVALID, "step %zu is of no known kind", pos);
	if (s->thread >= in->nthreads || (limit != UINT32_MAX && s->object >= limit))
		return hd_fail(eb, HD_ERR_INVALID,
			       "step %zu names a thread or object that is not there", pos);
	return HD_OK;
}

static enum hd_err check_goal(const struct hd_instance *in, const struct hd_step_goal *goal,
			      struct hd_errbuf *eb)
{
	if (goal->norder > HD_STEP_GOAL_MAX || goal->nnext > HD_STEP_GOAL_MAX)
		return hd_fail(eb, HD_ERR_INVALID, "the goal has more than %d steps",
			       HD_STEP_GOAL_MAX);
	if (goal->norder - (goal->open_end && goal->norder > 0) + goal->nnext == 0)
		return hd_fail(eb, HD_ERR_INVALID, "the goal asks for nothing");
	for (size_t i = 0; i < goal->norder + goal->nnext; i++) {
		uint32_t pos = i < goal->norder ? goal->order[i] : goal->next[i - goal->norder];

		if (pos >= in->nsteps)
			return hd_fail(eb, HD_ERR_INVALID, "the goal names step %u of %zu", pos,
				       in->nsteps);
	}
	return HD_OK;
}

static void sort_by_thread(struct hd_step_index *index, const struct hd_instance *in)
{
	uint32_t *seen = index->start + 1; /* seen[t] is start[t + 1] */

	for (size_t i = 0; i < in->nsteps; i++)
		index->ordinal[i] = ++seen[in->steps[i].thread];
	for (uint32_t t = 0; t < in->nthreads; t++)
		index->start[t + 1] += index->start[t];
	for (size_t i = 0; i < in->nsteps; i++) {
		const struct hd_step *s = &in->steps[i];

		index->of_thread[index->start[s->thread] + index->ordinal[i] - 1] = (uint32_t)i;
		if (s->kind == HD_STEP_FORK && index->fork[s->object] == HD_NO_STEP)
			index->fork[s->object] = (uint32_t)i;
	}
}

/* One mode of one lock, while a thread is walked through. */
struct hold {
	int64_t depth, lowest;
	uint32_t outermost; /* the acquire from depth 0 */
};

static struct hold *hold_of(struct hold *holds, const struct hd_step *s)
{
	return &holds[2 * (size_t)s->object + s->shared];
}

static void match_one(struct hd_step_index *index, const struct hd_step *s, uint32_t pos,
		      struct hold *h)
{
	if (s->kind == HD_STEP_ACQUIRE) {
		index->nested[pos] = h->depth++ > 0;
		if (!index->nested[pos])
			h->outermost = pos;
		return;
	}
	index->nested[pos] = --h->depth > 0;
	if (index->nested[pos])
		return;
	index->match[pos] = h->outermost;
	if (h->outermost != HD_NO_STEP)
		index->match[h->outermost] = pos;
	h->outermost = HD_NO_STEP;
}

static void match_locks(struct hd_step_index *index, const struct hd_instance *in, uint32_t thread,
			struct hold *holds)
{
	uint32_t from = index->start[thread], to = index->start[thread + 1];

	for (uint32_t i = from; i < to; i++) {
		const struct hd_step *s = &in->steps[index->of_thread[i]];

		if (hd_step_locks(s))
			*hold_of(holds, s) = (struct hold){ .outermost = HD_NO_STEP };
	}
	/* How deep the thread is in a section at the start shows in what it leaves later. */
	for (uint32_t i = from; i < to; i++) {
		const struct hd_step *s = &in->steps[index->of_thread[i]];
		struct hold *h = hd_step_locks(s) ? hold_of(holds, s) : NULL;

		if (!h)
			continue;
		h->depth += s->kind == HD_STEP_ACQUIRE ? 1 : -1;
		if (h->depth < h->lowest)
			h->lowest = h->depth;
	}
	for (uint32_t i = from; i < to; i++) {
		const struct hd_step *s = &in->steps[index->of_thread[i]];

		if (hd_step_locks(s))
			hold_of(holds, s)->depth = -hold_of(holds, s)->lowest;
	}
	for (uint32_t i = from; i < to; i++) {
		uint32_t pos = index->of_thread[i];

		if (hd_step_locks(&in->steps[pos]))
			match_one(index, &in->steps[pos], pos, hold_of(holds, &in->steps[pos]));
	}
}

enum hd_err hd_step_index_make(struct hd_step_index *index, const struct hd_instance *in,
			       const struct hd_step_goal *goal, struct hd_errbuf *eb)
{
	struct hold *holds = NULL;
	enum hd_err err = check_goal(in, goal, eb);

	*index = (struct hd_step_index){ 0 };
	if (!err && in->nsteps >= HD_NO_STEP)
		err = hd_fail(eb, HD_ERR_LIMIT, "the run has too many steps: %zu", in->nsteps);
	for (size_t i = 0; !err && i < in->nsteps; i++)
		err = check_step(in, i, eb);
	if (err)
		return err;
	index->of_thread = calloc(in->nsteps + 1, sizeof *index->of_thread);
	index->ordinal = calloc(in->nsteps + 1, sizeof *index->ordinal);
	index->match = malloc((in->nsteps + 1) * sizeof *index->match);
	index->nested = calloc(in->nsteps + 1, sizeof *index->nested);
	index->start = calloc((size_t)in->nthreads + 2, sizeof *index->start);
	index->fork = malloc(((size_t)in->nthreads + 1) * sizeof *index->fork);
	holds = calloc(2 * (size_t)in->nlocks + 1, sizeof *holds);
	if (!index->of_thread || !index->ordinal || !index->match || !index->nested ||
	    !index->start || !index->fork || !holds) {
		hd_step_index_free(index);
		free(holds);
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory for a run of %zu steps",
			       in->nsteps);
	}
	memset(index->match, 0xff, (in->nsteps + 1) * sizeof *index->match);
	memset(index->fork, 0xff, ((size_t)in->nthreads + 1) * sizeof *index->fork);
	sort_by_thread(index, in);
	for (uint32_t t = 0; t < in->nthreads; t++)
		match_locks(index, in, t, holds);
	free(holds);
	return HD_OK;
}

void hd_step_index_free(struct hd_step_index *index)
{
	free(index->of_thread);
	free(index->ordinal);
	free(index->match);
	free(index->nested);
	free(index->start);
	free(index->fork);
	*index = (struct hd_step_index){ 0 };
}

uint32_t hd_step_at(const struct hd_step_index *index, uint32_t thread, uint32_t ordinal)
{
	if (ordinal == 0 || ordinal > index->start[thread + 1] - index->start[thread])
		return HD_NO_STEP;
	return index->of_thread[index->start[thread] + ordinal - 1];
}

uint32_t hd_step_last(const struct hd_step_index *index, uint32_t thread)
{
	return hd_step_at(index, thread, index->start[thread + 1] - index->start[thread]);
}

uint32_t hd_step_enabler(const struct hd_step_index *index, const struct hd_instance *in,
			 uint32_t pos)
{
	uint32_t thread = in->steps[pos].thread;

	if (index->ordinal[pos] > 1)
		return hd_step_at(index, thread, index->ordinal[pos] - 1);
	return index->fork[thread];
}

bool hd_step_sees(const struct hd_instance *in, const struct hd_step_goal *goal, uint32_t pos)
{
	const struct hd_step *s = &in->steps[pos];

	return s->kind == HD_STEP_READ && hd_read_counts(goal, s->firm, s->assumed);
}

bool hd_step_is_free(const struct hd_instance *in, const struct hd_step_goal *goal, uint32_t pos)
{
	bool last = false;

	if (!hd_step_sees(in, goal, pos) || in->steps[pos].firm)
		return false;
	for (size_t i = 0; i < goal->norder; i++)
		if (in->steps[goal->order[i]].thread == in->steps[pos].thread)
			last = goal->order[i] == pos;
	return last;
}
