/*
 * A schedule as a plan: its events with all that the runtime compares.
 */
#include "predict_state.h"

#include <stdlib.h>

#include "trace/plan.h"

struct planning {
	const struct hd_predict *p;
	const struct hd_goal *goal;
	const struct hd_prediction *prediction;
	struct hd_plan *plan;
	uint64_t last; /* the event with the highest number that is wanted */
	size_t *place; /* of each event from prediction->prefix on: place in the plan + 1 */
	struct hd_errbuf *eb;
};

static bool reads(uint8_t op)
{
	return op == HD_OP_READ || op == HD_OP_READ_RANGE || op == HD_OP_ATOMIC_LOAD ||
	       op == HD_OP_ATOMIC_CAS_FAIL || op == HD_OP_ATOMIC_RMW;
}

/* The last event of the order that its thread does. */
static bool ends_its_thread(const struct planning *g, size_t i)
{
	const struct hd_goal *w = g->goal;

	for (size_t k = i + 1; k < w->norder; k++)
		if (g->p->threads[w->order[k]] == g->p->threads[w->order[i]])
			return false;
	return true;
}

static uint16_t flags_of(const struct planning *g, uint64_t event)
{
	const struct hd_goal *w = g->goal;

	for (size_t i = 0; i < w->norder - w->open_end; i++)
		if (w->order[i] == event)
			return HD_PLAN_GOAL |
			       (reads(g->p->ops[event]) && ends_its_thread(g, i) ? HD_PLAN_FREE
										 : 0);
	return 0;
}

static bool make_places(struct planning *g)
{
	const struct hd_prediction *p = g->prediction;

	for (size_t i = 0; i < p->nevents; i++)
		g->last = p->events[i] > g->last ? p->events[i] : g->last;
	for (size_t i = 0; i < g->goal->nnext; i++)
		g->last = g->goal->next[i] > g->last ? g->goal->next[i] : g->last;
	if (p->prefix && p->prefix - 1 > g->last)
		g->last = p->prefix - 1;
	g->place = calloc(g->last >= p->prefix ? g->last - p->prefix + 1 : 1, sizeof(*g->place));
	return g->place != NULL;
}

/* First pass: what stays as it was goes straight into the plan; of the rest its place is known. */
static enum hd_err take(struct planning *g, const struct hd_event *ev, uint64_t index,
			struct hd_plan_entry *moved)
{
	size_t place;

	if (index < g->prediction->prefix) {
		if (!hd_op_is_planned(ev->op))
			return HD_OK;
		return hd_plan_add(g->plan, ev, index, flags_of(g, index), g->eb);
	}
	place = g->place[index - g->prediction->prefix];
	if (place)
		moved[place - 1] = (struct hd_plan_entry){
			.thread = ev->thread,
			.op = ev->op,
			.size = ev->size,
			.arg = ev->arg,
			.pc = ev->pc,
			.addr = ev->addr,
			.value = ev->value,
			.value2 = ev->value2,
			.index = index,
		};
	return HD_OK;
}

static enum hd_err read_events(struct planning *g, struct hd_plan_entry *moved)
{
	const struct hd_event *ev;
	uint64_t index = 0;
	size_t n;

	hd_trace_rewind(g->p->trace);
	while (index <= g->last && hd_trace_next(g->p->trace, &ev, &n, NULL) == HD_OK && n)
		for (size_t i = 0; i < n && index <= g->last; i++, index++) {
			enum hd_err err = take(g, &ev[i], index, moved);

			if (err)
				return err;
		}
	return HD_OK;
}

static enum hd_err append(struct planning *g, const struct hd_plan_entry *e, uint16_t flags)
{
	const struct hd_event ev = { .thread = e->thread,
				     .op = (uint8_t)e->op,
				     .size = e->size,
				     .arg = (uint16_t)e->arg,
				     .pc = e->pc,
				     .addr = e->addr,
				     .value = e->value,
				     .value2 = e->value2 };

	return hd_plan_add(g->plan, &ev, e->index, flags, g->eb);
}

static enum hd_err fill(struct planning *g)
{
	const struct hd_prediction *p = g->prediction;
	size_t nnext = g->goal->nnext;
	struct hd_plan_entry *moved = calloc(p->nevents + nnext + 1, sizeof(*moved));
	enum hd_err err;

	if (!moved || !make_places(g)) {
		free(moved);
		return hd_fail(g->eb, HD_ERR_NOMEM, "out of memory for a plan");
	}
	for (size_t i = 0; i < p->nevents; i++)
		g->place[p->events[i] - p->prefix] = i + 1;
	for (size_t i = 0; i < nnext; i++)
		g->place[g->goal->next[i] - p->prefix] = p->nevents + i + 1;
	err = read_events(g, moved);
	for (size_t i = 0; i < p->nevents && !err; i++)
		err = append(g, &moved[i], flags_of(g, p->events[i]));
	for (size_t i = 0; i < nnext && !err; i++)
		err = append(g, &moved[p->nevents + i], HD_PLAN_NEXT | HD_PLAN_GOAL);
	free(moved);
	return err;
}

enum hd_err hd_predict_plan(struct hd_predict *p, const struct hd_goal *goal,
			    const struct hd_prediction *prediction, struct hd_plan *out,
			    struct hd_errbuf *eb)
{
	struct planning g = {
		.p = p, .goal = goal, .prediction = prediction, .plan = out, .eb = eb
	};
	enum hd_err err;

	if (!prediction->scheduled)
		return hd_fail(eb, HD_ERR_INVALID, "there is no schedule to make a plan of");
	err = hd_plan_init(out, p->trace, eb);
	if (err)
		return err;
	out->loose = prediction->relaxed;
	err = fill(&g);
	free(g.place);
	if (err)
		hd_plan_free(out);
	return err;
}
