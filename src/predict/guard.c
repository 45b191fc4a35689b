/*
 * Accesses of several cells in one piece, by locks.
 *
 * Cells that some access covers together belong together. Whoever accesses one of them takes a lock
 * of theirs, so that no schedule gets between the steps of one event. That makes problems
 * larger, so it is done only where a schedule has taken an event apart.
 */
#include "guard.h"

#include <stdlib.h>

/* The root of @x among cells that belong together. */
static uint32_t root_of(uint32_t *parent, uint32_t x)
{
	while (parent[x] != x)
		x = parent[x] = parent[parent[x]];
	return x;
}

static bool is_cell(const struct hd_step *s)
{
	return (s->kind == HD_STEP_READ || s->kind == HD_STEP_WRITE) && !s->added && !s->firm;
}

/* One past the last step of the event that begins at @first. */
static size_t end_of_event(const struct hd_instance *in, size_t first)
{
	size_t end = first + 1;

	while (end < in->nsteps && in->steps[end].index == in->steps[first].index)
		end++;
	return end;
}

/* The first step of [@from, @to) that is on a cell; @to: none. */
static size_t cell_in(const struct hd_instance *in, size_t from, size_t to)
{
	while (from < to && !is_cell(&in->steps[from]))
		from++;
	return from;
}

struct guarding {
	const struct hd_instance *in;
	const struct hd_step_goal *goal;
	struct hd_guarded *out;
	uint32_t *parent; /* of each location */
	bool *together;	  /* of each root: there is an access of several */
	uint32_t *lock;	  /* of each root + 1 */
};

static void find_together(struct guarding *g)
{
	const struct hd_instance *in = g->in;

	for (uint32_t x = 0; x < in->nlocations; x++)
		g->parent[x] = x;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0, end; i < in->nsteps; i = end) {
			size_t first;

			end = end_of_event(in, i);
			first = cell_in(in, i, end);
			for (size_t k = first; k < end; k = cell_in(in, k + 1, end)) {
				uint32_t a = root_of(g->parent, in->steps[first].object);
				uint32_t b = root_of(g->parent, in->steps[k].object);

				if (!pass)
					g->parent[b] = a;
				else if (in->steps[k].object != in->steps[first].object)
					g->together[a] = true;
			}
		}
	}
}

/* A read of the goal that may see anything happens at one step, which nothing can tear. */
static bool is_free_read(const struct guarding *g, size_t first, size_t end)
{
	bool free_read = false;

	for (size_t i = 0; i < g->goal->norder; i++) {
		uint32_t step = g->goal->order[i];

		if (step >= first && step < end && !free_read)
			free_read = g->in->steps[step].kind == HD_STEP_READ;
		else if (g->in->steps[step].thread == g->in->steps[first].thread)
			free_read = false; /* not the last of its thread */
	}
	return free_read;
}

static void put(struct hd_guarded *out, struct hd_step step, uint32_t from)
{
	out->from[out->in.nsteps] = from;
	out->in.steps[out->in.nsteps++] = step;
}

static void put_event(struct guarding *g, size_t first, size_t end)
{
	struct hd_guarded *out = g->out;
	size_t cell = cell_in(g->in, first, end);
	uint32_t root = cell < end ? root_of(g->parent, g->in->steps[cell].object) : 0;
	bool guard = cell < end && g->together[root] && !is_free_read(g, first, end);
	struct hd_step lock = { .thread = g->in->steps[first].thread,
				.added = true,
				.index = g->in->steps[first].index };

	if (guard && !g->lock[root])
		g->lock[root] = ++out->in.nlocks;
	lock.object = guard ? g->lock[root] - 1 : 0;
	lock.kind = HD_STEP_ACQUIRE;
	for (size_t i = first; i < end; i++)
		out->to[i] = (uint32_t)(out->in.nsteps + (i - first) + guard);
	if (guard)
		put(out, lock, HD_NOT_A_STEP);
	for (size_t i = first; i < end; i++)
		put(out, g->in->steps[i], (uint32_t)i);
	lock.kind = HD_STEP_RELEASE;
	if (guard)
		put(out, lock, HD_NOT_A_STEP);
}

/* Steps that are next, or must not have happened, are so with the lock before them. */
static uint32_t before(const struct guarding *g, uint32_t step)
{
	uint32_t at = g->out->to[step];

	return at && g->out->from[at - 1] == HD_NOT_A_STEP &&
			       g->out->in.steps[at - 1].kind == HD_STEP_ACQUIRE
		       ? at - 1
		       : at;
}

static void move_goal(struct guarding *g)
{
	const struct hd_step_goal *from = g->goal;
	struct hd_step_goal *to = &g->out->goal;

	*to = *from;
	for (size_t i = 0; i < from->norder; i++)
		to->order[i] = from->open_end && i + 1 == from->norder ? before(g, from->order[i])
								       : g->out->to[from->order[i]];
	for (size_t i = 0; i < from->nnext; i++)
		to->next[i] = before(g, from->next[i]);
}

enum hd_err hd_guard(struct hd_guarded *out, const struct hd_instance *in,
		     const struct hd_step_goal *goal)
{
	struct guarding g = { .in = in, .goal = goal, .out = out };
	size_t room = 3 * in->nsteps + 1;
	enum hd_err err = HD_ERR_NOMEM;

	*out = (struct hd_guarded){ 0 };
	out->in = *in;
	out->in.nsteps = 0;
	out->in.init = NULL;
	out->in.permits = calloc(in->nsemaphores + 1ul, sizeof(*out->in.permits));
	out->in.steps = room < UINT32_MAX ? malloc(room * sizeof(*out->in.steps)) : NULL;
	out->from = malloc(room * sizeof(*out->from));
	out->to = malloc((in->nsteps + 1) * sizeof(*out->to));
	out->in.init = calloc(in->nlocations + 1ul, sizeof(*out->in.init));
	g.parent = malloc((in->nlocations + 1ul) * sizeof(*g.parent));
	g.together = calloc(in->nlocations + 1ul, sizeof(*g.together));
	g.lock = calloc(in->nlocations + 1ul, sizeof(*g.lock));
	if (out->in.steps && out->from && out->to && out->in.init && out->in.permits && g.parent &&
	    g.together && g.lock) {
		for (uint32_t x = 0; x < in->nlocations; x++)
			out->in.init[x] = in->init ? in->init[x] : 0;
		for (uint32_t x = 0; x < in->nsemaphores; x++)
			out->in.permits[x] = in->permits ? in->permits[x] : 0;
		find_together(&g);
		for (size_t i = 0; i < in->nsteps; i = end_of_event(in, i))
			put_event(&g, i, end_of_event(in, i));
		move_goal(&g);
		err = HD_OK;
	}
	free(g.parent);
	free(g.together);
	free(g.lock);
	if (err)
		hd_guarded_free(out);
	return err;
}

void hd_guarded_free(struct hd_guarded *g)
{
	hd_instance_free(&g->in);
	free(g->from);
	free(g->to);
	g->from = g->to = NULL;
}

size_t hd_unguard(const struct hd_guarded *g, uint32_t *steps, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (g->from[steps[i]] != HD_NOT_A_STEP)
			steps[kept++] = g->from[steps[i]];
	return kept;
}
