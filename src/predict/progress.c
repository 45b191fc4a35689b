#include "progress.h"

#include <stdlib.h>
#include <string.h>

/* --- the goal --- */

static void bound_thread(struct hd_aim *aim, struct hd_target t)
{
	if (t.at < aim->bound[t.thread])
		aim->bound[t.thread] = t.at;
}

static struct hd_target target_of(const struct hd_prepared *p, uint32_t step)
{
	return (struct hd_target){ p->in->steps[step].thread, p->at[step] };
}

/* Two that are next in one thread, or the same thing twice, are beyond any schedule. */
static bool consistent(const struct hd_aim *aim)
{
	for (size_t i = 0; i < aim->norder; i++)
		if (aim->order[i].at >= aim->bound[aim->order[i].thread])
			return false;
	for (size_t i = 0; i < aim->norder; i++)
		for (size_t j = i + 1; j < aim->norder; j++)
			if (aim->order[i].thread == aim->order[j].thread &&
			    aim->order[i].at >= aim->order[j].at)
				return false;
	for (size_t i = 0; i < aim->nnext; i++)
		if (aim->next[i].at > aim->bound[aim->next[i].thread])
			return false;
	return true;
}

static void find_loose_reads(struct hd_aim *aim, const struct hd_prepared *p, size_t norder,
			     const struct hd_target *order)
{
	for (size_t i = 0; i < norder; i++) {
		struct hd_target t = order[i];
		const struct hd_operation *op = hd_operation(p, t.thread, t.at);
		bool read = op->kind == HD_STEP_READ && !op->firm;

		aim->loose[t.thread] = read ? t.at : HD_NOWHERE;
	}
}

enum hd_err hd_aim_init(struct hd_aim *aim, const struct hd_prepared *p,
			const struct hd_goal *goal, size_t limit, bool *possible,
			struct hd_errbuf *eb)
{
	*aim = (struct hd_aim){ .norder = goal->norder, .nnext = goal->nnext,
				.ignore_values = goal->ignore_values };
	if (goal->norder > HD_GOAL_MAX || goal->nnext > HD_GOAL_MAX)
		return hd_fail(eb, HD_ERR_INVALID, "a goal has at most %d steps", HD_GOAL_MAX);
	for (size_t i = 0; i < goal->norder + goal->nnext; i++) {
		size_t j = i - goal->norder;
		uint32_t step = i < goal->norder ? goal->order[i] : goal->next[j];

		if (step >= p->in->nsteps)
			return hd_fail(eb, HD_ERR_INVALID, "the goal names step %u of %zu", step,
				       p->in->nsteps);
		if (i < goal->norder)
			aim->order[i] = target_of(p, step);
		else
			aim->next[j] = target_of(p, step);
	}
	aim->bound = malloc(((size_t)p->nthreads + 1) * sizeof(*aim->bound));
	aim->loose = malloc(((size_t)p->nthreads + 1) * sizeof(*aim->loose));
	if (!aim->bound || !aim->loose) {
		hd_aim_free(aim);
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory for a goal");
	}
	for (uint32_t t = 0; t < p->nthreads; t++) {
		uint32_t low = 0, high = hd_length(p, t);

		while (low < high) {
			uint32_t mid = low + (high - low) / 2;

			if (hd_operation(p, t, mid)->step < limit)
				low = mid + 1;
			else
				high = mid;
		}
		aim->bound[t] = low;
		aim->loose[t] = HD_NOWHERE;
	}
	find_loose_reads(aim, p, goal->norder, aim->order);
	if (goal->open_end && aim->norder)
		bound_thread(aim, aim->order[--aim->norder]);
	for (size_t i = 0; i < aim->nnext; i++)
		bound_thread(aim, aim->next[i]);
	*possible = consistent(aim);
	return HD_OK;
}

void hd_aim_free(struct hd_aim *aim)
{
	free(aim->bound);
	free(aim->loose);
	aim->bound = aim->loose = NULL;
}

/* --- moving --- */

enum hd_err hd_progress_init(struct hd_progress *s, const struct hd_prepared *p,
			     const struct hd_aim *aim)
{
	*s = (struct hd_progress){ .p = p, .aim = aim };
	s->at = calloc((size_t)p->nthreads + 1, sizeof(*s->at));
	s->stopped = calloc((size_t)p->nthreads + 1, sizeof(*s->stopped));
	s->value = calloc((size_t)p->in->nlocations + 1, sizeof(*s->value));
	s->owner = calloc((size_t)p->in->nlocks + 1, sizeof(*s->owner));
	s->sharers = calloc((size_t)p->in->nlocks + 1, sizeof(*s->sharers));
	if (s->at && s->stopped && s->value && s->owner && s->sharers)
		return HD_OK;
	hd_progress_free(s);
	return HD_ERR_NOMEM;
}

void hd_progress_free(struct hd_progress *s)
{
	free(s->at);
	free(s->stopped);
	free(s->value);
	free(s->owner);
	free(s->sharers);
	free(s->done);
	*s = (struct hd_progress){ 0 };
}

static const struct hd_operation *next_of(const struct hd_progress *s, uint32_t thread)
{
	return hd_operation(s->p, thread, s->at[thread]);
}

static void apply(struct hd_progress *s, uint32_t thread)
{
	const struct hd_operation *op = next_of(s, thread);

	switch (op->kind) {
	case HD_STEP_WRITE:
		s->value[op->object] = op->value;
		break;
	case HD_STEP_ACQUIRE:
		if (op->shared)
			s->sharers[op->object]++;
		else
			s->owner[op->object] = thread;
		break;
	case HD_STEP_RELEASE:
		if (op->shared)
			s->sharers[op->object]--;
		else
			s->owner[op->object] = HD_FREE_LOCK;
		break;
	default:
		break;
	}
	s->at[thread]++;
}

void hd_progress_start(struct hd_progress *s, size_t steps)
{
	const struct hd_instance *in = s->p->in;

	memset(s->at, 0, s->p->nthreads * sizeof(*s->at));
	memset(s->stopped, 0, s->p->nthreads * sizeof(*s->stopped));
	for (uint32_t l = 0; l < in->nlocks; l++) {
		s->owner[l] = s->p->held[l] ? s->p->held[l] - 1 : HD_FREE_LOCK;
		s->sharers[l] = s->p->sharing[l];
	}
	for (uint32_t x = 0; x < in->nlocations; x++)
		s->value[x] = in->init ? in->init[x] : 0;
	s->reached = s->ndone = 0;
	for (size_t i = 0; i < steps; i++)
		apply(s, in->steps[i].thread);
}

static bool is_goal(const struct hd_progress *s, uint32_t thread, size_t *rank)
{
	for (size_t i = 0; i < s->aim->norder; i++)
		if (s->aim->order[i].thread == thread && s->aim->order[i].at == s->at[thread]) {
			*rank = i;
			return true;
		}
	return false;
}

static bool is_loose(const struct hd_progress *s, uint32_t thread)
{
	return s->aim->loose[thread] == s->at[thread];
}

bool hd_stops(const struct hd_progress *s, uint32_t thread)
{
	const struct hd_operation *op = next_of(s, thread);

	return is_loose(s, thread) && !s->aim->ignore_values && s->value[op->object] != op->value;
}

static bool started(const struct hd_progress *s, uint32_t thread)
{
	uint32_t parent = s->p->fork_thread[thread];

	return parent == HD_NOWHERE || s->at[parent] > s->p->fork_at[thread];
}

bool hd_enabled(const struct hd_progress *s, uint32_t thread)
{
	const struct hd_operation *op;
	size_t rank;

	if (s->at[thread] >= s->aim->bound[thread] || s->stopped[thread])
		return false;
	if (!started(s, thread))
		return false;
	if (is_goal(s, thread, &rank) && rank != s->reached)
		return false;
	op = next_of(s, thread);
	switch (op->kind) {
	case HD_STEP_READ:
		return s->value[op->object] == op->value || is_loose(s, thread) ||
		       (s->aim->ignore_values && !op->firm);
	case HD_STEP_ACQUIRE:
		return s->owner[op->object] == HD_FREE_LOCK &&
		       (op->shared || !s->sharers[op->object]);
	case HD_STEP_JOIN:
		return started(s, op->object) &&
		       s->at[op->object] == hd_length(s->p, op->object) &&
		       !s->stopped[op->object];
	default:
		return true;
	}
}

/* Has @thread anything in @lane still to do? */
static bool left(const struct hd_progress *s, const struct hd_lanes *l, const struct hd_lane *lane)
{
	uint32_t i = hd_lane_from(l, lane, s->at[lane->thread]);

	return i < lane->end && l->at[i] < s->aim->bound[lane->thread] && !s->stopped[lane->thread];
}

static bool others_left(const struct hd_progress *s, const struct hd_lanes *l, uint32_t object,
			uint32_t thread)
{
	for (uint32_t k = l->lane_of[object]; k < l->lane_of[object + 1]; k++)
		if (l->lanes[k].thread != thread && left(s, l, &l->lanes[k]))
			return true;
	return false;
}

/*
 * A read, release, fork or join that is enabled can be moved to the front of any
 * continuation, or added to it. A write can when nobody else has to do with the location
 * any more, or nobody reads it; an acquire when nobody else wants the lock.
 */
bool hd_harmless(const struct hd_progress *s, uint32_t thread)
{
	const struct hd_operation *op = next_of(s, thread);

	switch (op->kind) {
	case HD_STEP_READ:
		return !hd_stops(s, thread);
	case HD_STEP_WRITE:
		if (others_left(s, &s->p->reads, op->object, thread))
			return false;
		return !others_left(s, &s->p->writes, op->object, thread) ||
		       !others_left(s, &s->p->reads, op->object, HD_NOWHERE);
	case HD_STEP_ACQUIRE:
		return !others_left(s, &s->p->sections, op->object, thread);
	default:
		return true;
	}
}

bool hd_goal_reached(const struct hd_progress *s)
{
	if (s->reached < s->aim->norder)
		return false;
	for (size_t i = 0; i < s->aim->nnext; i++) {
		uint32_t t = s->aim->next[i].thread;

		if (s->at[t] != s->aim->next[i].at || s->stopped[t] || !started(s, t))
			return false;
	}
	return true;
}

bool hd_do(struct hd_progress *s, uint32_t thread)
{
	const struct hd_operation *op = next_of(s, thread);
	struct hd_done d = { 0, thread };
	size_t rank;

	if (s->ndone == s->room) {
		size_t room = s->room ? 2 * s->room : 256;
		struct hd_done *more = realloc(s->done, room * sizeof(*more));

		if (!more)
			return false;
		s->done = more;
		s->room = room;
	}
	if (op->kind == HD_STEP_WRITE)
		d.before = s->value[op->object];
	s->stopped[thread] = hd_stops(s, thread);
	if (is_goal(s, thread, &rank))
		s->reached++;
	apply(s, thread);
	s->done[s->ndone++] = d;
	return true;
}

static void undo(struct hd_progress *s)
{
	struct hd_done d = s->done[--s->ndone];
	const struct hd_operation *op;
	size_t rank;

	s->at[d.thread]--;
	s->stopped[d.thread] = false;
	op = next_of(s, d.thread);
	if (is_goal(s, d.thread, &rank))
		s->reached--;
	if (op->kind == HD_STEP_WRITE)
		s->value[op->object] = d.before;
	else if (op->kind == HD_STEP_ACQUIRE && op->shared)
		s->sharers[op->object]--;
	else if (op->kind == HD_STEP_ACQUIRE)
		s->owner[op->object] = HD_FREE_LOCK;
	else if (op->kind == HD_STEP_RELEASE && op->shared)
		s->sharers[op->object]++;
	else if (op->kind == HD_STEP_RELEASE)
		s->owner[op->object] = d.thread;
}

void hd_undo_to(struct hd_progress *s, size_t ndone)
{
	while (s->ndone > ndone)
		undo(s);
}

bool hd_do_harmless(struct hd_progress *s)
{
	bool more = true;

	while (more && !hd_goal_reached(s)) {
		more = false;
		for (uint32_t t = 0; t < s->p->nthreads; t++)
			while (hd_enabled(s, t) && hd_harmless(s, t)) {
				if (!hd_do(s, t))
					return false;
				if (hd_goal_reached(s))
					return true;
				more = true;
			}
	}
	return true;
}
