#include "validate.h"

#include <stdlib.h>

#define NEVER	SIZE_MAX
#define NO_STEP UINT32_MAX

struct judge {
	const struct hd_instance *in;
	const struct hd_step_goal *goal;
	struct hd_errbuf *eb;
	size_t base; /* steps before this have happened as observed */
	size_t when
		[HD_STEP_GOAL_MAX]; /* place of each step of the order in the schedule, or NEVER */
	uint32_t *thread_next;	    /* the step that each thread has to do next, or NO_STEP */
	uint32_t *follower;	    /* the next step of the same thread, from base on */
	bool *unborn, *derailed;
	uint64_t *memory;
	uint32_t *writer; /* thread + 1 that holds the lock alone */
	uint32_t *readers, *permits;
	uint8_t *first_use; /* [thread * nlocks + lock]: the first step from base on, + 1 */
};

static enum hd_err wrong(struct judge *j, size_t place, uint32_t step, const char *what)
{
	return hd_fail(j->eb, HD_ERR_INVALID, "place %zu of the schedule, step %u: %s", place, step,
		       what);
}

static bool allocate(struct judge *j)
{
	const struct hd_instance *in = j->in;

	j->follower = malloc((in->nsteps - j->base + 1) * sizeof(*j->follower));
	j->thread_next = malloc((in->nthreads + 1ul) * sizeof(*j->thread_next));
	j->unborn = calloc(in->nthreads + 1ul, sizeof(*j->unborn));
	j->derailed = calloc(in->nthreads + 1ul, sizeof(*j->derailed));
	j->memory = calloc(in->nlocations + 1ul, sizeof(*j->memory));
	j->writer = calloc(in->nlocks + 1ul, sizeof(*j->writer));
	j->readers = calloc(in->nlocks + 1ul, sizeof(*j->readers));
	j->first_use = calloc((size_t)in->nthreads * in->nlocks + 1, sizeof(*j->first_use));
	j->permits = calloc(in->nsemaphores + 1ul, sizeof(*j->permits));
	return j->permits && j->first_use && j->follower && j->thread_next && j->unborn &&
	       j->derailed && j->memory && j->writer && j->readers;
}

/* What comes from base on: who does what next, and what it takes or gives back first. */
static void look_ahead(struct judge *j)
{
	const struct hd_instance *in = j->in;

	for (uint32_t t = 0; t < in->nthreads; t++)
		j->thread_next[t] = NO_STEP;
	for (size_t i = in->nsteps; i-- > j->base;) {
		const struct hd_step *s = &in->steps[i];

		j->follower[i - j->base] = j->thread_next[s->thread];
		j->thread_next[s->thread] = (uint32_t)i;
		if (s->kind == HD_STEP_FORK)
			j->unborn[s->object] = true;
		else if (s->kind == HD_STEP_ACQUIRE || s->kind == HD_STEP_RELEASE)
			j->first_use[(size_t)s->thread * in->nlocks + s->object] =
				(uint8_t)(2 * s->kind + s->shared + 1);
	}
}

/* What is done in the run without asking whether it can be: it was. */
static void pass(struct judge *j, const struct hd_step *s)
{
	switch (s->kind) {
	case HD_STEP_WRITE:
		j->memory[s->object] = s->value;
		break;
	case HD_STEP_ACQUIRE:
		if (s->shared)
			j->readers[s->object]++;
		else
			j->writer[s->object] = s->thread + 1;
		break;
	case HD_STEP_RELEASE:
		if (!s->shared)
			j->writer[s->object] = 0;
		else if (j->readers[s->object])
			j->readers[s->object]--;
		break;
	case HD_STEP_POST:
		j->permits[s->object]++;
		break;
	case HD_STEP_DOWN:
		j->permits[s->object]--;
		break;
	default:
		break;
	}
}

/*
 * What a thread gives back before it takes it, and has not taken before base, it has held from
 * the start. Of readers only the number counts.
 */
static void hold_from_start(struct judge *j)
{
	const struct hd_instance *in = j->in;

	for (uint32_t l = 0; l < in->nlocks; l++) {
		uint32_t readers = 0;

		for (uint32_t t = 0; t < in->nthreads; t++) {
			uint8_t use = j->first_use[(size_t)t * in->nlocks + l];

			if (use == 2 * HD_STEP_RELEASE + 1)
				j->writer[l] = t + 1;
			readers += use == 2 * HD_STEP_RELEASE + 2;
		}
		if (readers > j->readers[l])
			j->readers[l] = readers;
	}
}

static void start(struct judge *j)
{
	const struct hd_instance *in = j->in;

	for (size_t i = 0; i < HD_STEP_GOAL_MAX; i++)
		j->when[i] = i < j->goal->norder && j->goal->order[i] < j->base ? j->goal->order[i]
										: NEVER;
	for (uint32_t x = 0; in->init && x < in->nlocations; x++)
		j->memory[x] = in->init[x];
	for (uint32_t x = 0; in->permits && x < in->nsemaphores; x++)
		j->permits[x] = in->permits[x];
	for (size_t i = 0; i < j->base; i++)
		pass(j, &in->steps[i]);
	look_ahead(j);
	hold_from_start(j);
}

/* May this read see another value: is it the last of the goal's order in its thread? */
static bool may_differ(const struct judge *j, uint32_t step)
{
	uint32_t last = UINT32_MAX;

	if (j->in->steps[step].firm)
		return false;
	for (size_t i = 0; i < j->goal->norder; i++)
		if (j->in->steps[j->goal->order[i]].thread == j->in->steps[step].thread)
			last = j->goal->order[i];
	return last == step;
}

static const char *lock(struct judge *j, const struct hd_step *s)
{
	if (j->writer[s->object] || (!s->shared && j->readers[s->object]))
		return "takes a lock that is held";
	if (s->shared)
		j->readers[s->object]++;
	else
		j->writer[s->object] = s->thread + 1;
	return NULL;
}

static const char *unlock(struct judge *j, const struct hd_step *s)
{
	if (s->shared ? !j->readers[s->object] : j->writer[s->object] != s->thread + 1)
		return "gives back a lock that is not held";
	if (s->shared)
		j->readers[s->object]--;
	else
		j->writer[s->object] = 0;
	return NULL;
}

static const char *happen(struct judge *j, uint32_t step)
{
	const struct hd_step *s = &j->in->steps[step];

	switch (s->kind) {
	case HD_STEP_READ:
		if (j->memory[s->object] == s->value)
			return NULL;
		if ((j->goal->ignore_values && !s->firm) || (j->goal->ignore_assumed && s->assumed))
			return NULL;
		j->derailed[s->thread] = true;
		return may_differ(j, step) ? NULL : "reads another value";
	case HD_STEP_WRITE:
		j->memory[s->object] = s->value;
		return NULL;
	case HD_STEP_ACQUIRE:
		return lock(j, s);
	case HD_STEP_RELEASE:
		return unlock(j, s);
	case HD_STEP_FORK:
		j->unborn[s->object] = false;
		return NULL;
	case HD_STEP_JOIN:
		return j->thread_next[s->object] != NO_STEP || j->derailed[s->object] ||
				       j->unborn[s->object]
			       ? "joins a thread that has not ended"
			       : NULL;
	case HD_STEP_POST:
		j->permits[s->object]++;
		return NULL;
	case HD_STEP_DOWN:
		return j->permits[s->object]-- ? NULL : "takes a permit that is not there";
	case HD_STEP_FAIL:
		return j->writer[s->object] || (!s->shared && j->readers[s->object])
			       ? NULL
			       : "fails to take a lock that is free";
	default:
		return NULL;
	}
}

static enum hd_err follow_schedule(struct judge *j, const uint32_t *steps, size_t n)
{
	for (size_t i = 0; i < j->base; i++)
		if (i >= n || steps[i] != i)
			return hd_fail(j->eb, HD_ERR_INVALID, "place %zu is not as observed", i);
	for (size_t i = j->base; i < n; i++) {
		const struct hd_step *s;
		const char *fault;

		if (steps[i] >= j->in->nsteps)
			return wrong(j, i, steps[i], "is not in the run");
		s = &j->in->steps[steps[i]];
		if (j->thread_next[s->thread] != steps[i])
			return wrong(j, i, steps[i], "is not the next of its thread");
		if (j->unborn[s->thread])
			return wrong(j, i, steps[i], "comes before the fork of its thread");
		if (j->derailed[s->thread])
			return wrong(j, i, steps[i], "comes after a read of another value");
		j->thread_next[s->thread] = j->follower[steps[i] - j->base];
		fault = happen(j, steps[i]);
		if (fault)
			return wrong(j, i, steps[i], fault);
		for (size_t k = 0; k < j->goal->norder; k++)
			if (j->goal->order[k] == steps[i])
				j->when[k] = i;
	}
	return HD_OK;
}

static enum hd_err check_goal(struct judge *j)
{
	const struct hd_step_goal *g = j->goal;
	size_t must = g->norder - (g->open_end && g->norder);

	for (size_t i = 0; i < must; i++) {
		if (j->when[i] == NEVER)
			return hd_fail(j->eb, HD_ERR_INVALID, "step %u of the goal does not happen",
				       g->order[i]);
		if (i && j->when[i] <= j->when[i - 1])
			return hd_fail(j->eb, HD_ERR_INVALID, "step %u of the goal is too early",
				       g->order[i]);
	}
	if (must < g->norder && j->when[must] != NEVER)
		return hd_fail(j->eb, HD_ERR_INVALID, "step %u happens, which should be left open",
			       g->order[must]);
	for (size_t i = 0; i < g->nnext; i++) {
		uint32_t t = j->in->steps[g->next[i]].thread;

		if (j->thread_next[t] != g->next[i] || j->derailed[t] || j->unborn[t])
			return hd_fail(j->eb, HD_ERR_INVALID, "step %u is not next at the end",
				       g->next[i]);
	}
	return HD_OK;
}

static enum hd_err check_names(struct judge *j)
{
	const struct hd_step_goal *g = j->goal;

	if (g->norder > HD_STEP_GOAL_MAX || g->nnext > HD_STEP_GOAL_MAX)
		return hd_fail(j->eb, HD_ERR_INVALID, "the goal has too many steps");
	for (size_t i = 0; i < g->norder; i++)
		if (g->order[i] >= j->in->nsteps)
			return hd_fail(j->eb, HD_ERR_INVALID, "the goal is not in the run");
	for (size_t i = 0; i < g->nnext; i++)
		if (g->next[i] >= j->in->nsteps)
			return hd_fail(j->eb, HD_ERR_INVALID, "the goal is not in the run");
	return HD_OK;
}

enum hd_err hd_validate_after(const struct hd_instance *in, const struct hd_step_goal *goal,
			      const uint32_t *steps, size_t nsteps, size_t as_observed,
			      struct hd_errbuf *eb)
{
	struct judge j = { .in = in, .goal = goal, .eb = eb, .base = as_observed };
	enum hd_err err = as_observed <= in->nsteps ? check_names(&j) : HD_ERR_INVALID;

	if (!err && !allocate(&j))
		err = hd_fail(eb, HD_ERR_NOMEM, "out of memory while checking a schedule");
	if (!err) {
		start(&j);
		err = follow_schedule(&j, steps, nsteps);
	}
	if (!err)
		err = check_goal(&j);
	free(j.follower);
	free(j.thread_next);
	free(j.unborn);
	free(j.derailed);
	free(j.memory);
	free(j.writer);
	free(j.readers);
	free(j.permits);
	free(j.first_use);
	return err;
}

enum hd_err hd_validate(const struct hd_instance *in, const struct hd_step_goal *goal,
			const uint32_t *steps, size_t nsteps, struct hd_errbuf *eb)
{
	return hd_validate_after(in, goal, steps, nsteps, 0, eb);
}
