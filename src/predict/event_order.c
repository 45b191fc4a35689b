/*
 * From steps back to events. To the solvers an access of several cells, or an atomic change, is
 * several steps, and they may put other threads' steps between them. A program cannot: so
 * events are put together again, and what comes out is validated once more.
 */
#include "common/array.h"
#include "predict_state.h"

#include <stdlib.h>
#include <string.h>

#include "from_trace.h"
#include "step_index.h"
#include "validate.h"

/* The place at which an event of several steps happens. */
enum placing {
	AT_LAST_STEP, /* of those that are its own: locks around it are opened and closed at once */
	AT_FIRST_STEP,
	AT_GOAL, /* the goal's own at the step that the goal names, others at their last */
	PLACINGS
};

struct ordering {
	const struct hd_predict *p;
	const struct hd_instance *in;
	const struct hd_step_goal *step_goal;
	const struct hd_solution *s;
	size_t nsteps;	 /* of the schedule, with those that are as observed */
	size_t from;	 /* steps before this one are as observed, and whole */
	uint64_t prefix; /* number of the event that begins there */
	uint32_t *done;	 /* of each event from prefix on: its steps that are in the schedule */
	uint64_t *events;
	size_t nevents;
	uint32_t *again; /* the schedule from there on with every event in one piece */
	size_t nagain;
};

/* The @i-th step of the schedule. */
static uint32_t step_at(const struct ordering *o, size_t i)
{
	return i < o->s->observed ? (uint32_t)i : o->s->steps[i - o->s->observed];
}

/* How many steps the event has that begins with step @first. */
static uint32_t steps_of(const struct hd_instance *in, uint32_t first)
{
	uint32_t n = 1;

	while (first + n < in->nsteps && in->steps[first + n].index == in->steps[first].index)
		n++;
	return n;
}

/* The step of @event that the goal names; HD_NO_STEP: it does not. */
static uint32_t goal_step(const struct ordering *o, uint64_t event)
{
	for (size_t i = 0; i < o->step_goal->norder - o->step_goal->open_end; i++)
		if (o->in->steps[o->step_goal->order[i]].index == event)
			return o->step_goal->order[i];
	return HD_NO_STEP;
}

static uint32_t place_of(const struct ordering *o, enum placing placing, uint32_t first,
			 uint32_t ndone, uint32_t goal)
{
	uint32_t last = first + ndone - 1;

	if (placing == AT_GOAL && goal != HD_NO_STEP)
		return goal;
	if (placing == AT_FIRST_STEP)
		return first;
	while (last > first && o->in->steps[last].added)
		last--;
	return last;
}

/* The run's own beginning needs no list: find where the schedule leaves it. */
static void find_prefix(struct ordering *o)
{
	const struct hd_instance *in = o->in;
	size_t k = o->s->observed;

	while (k < o->nsteps && step_at(o, k) == k)
		k++;
	o->prefix = k < in->nsteps ? in->steps[k].index : o->p->nevents;
	while (k > 0 && in->steps[k - 1].index >= o->prefix)
		k--;
	o->from = k;
}

static bool count_steps(struct ordering *o)
{
	uint64_t last = o->prefix;

	for (size_t i = o->from; i < o->nsteps; i++)
		if (o->in->steps[step_at(o, i)].index > last)
			last = o->in->steps[step_at(o, i)].index;
	o->done = calloc(last - o->prefix + 1, sizeof(*o->done));
	o->events = malloc((o->nsteps - o->from + 1) * sizeof(*o->events));
	o->again = malloc((o->in->nsteps - o->from + 1) * sizeof(*o->again));
	if (!o->done || !o->events || !o->again)
		return false;
	for (size_t i = o->from; i < o->nsteps; i++)
		o->done[o->in->steps[step_at(o, i)].index - o->prefix]++;
	return true;
}

/* Did it change anything that others may have seen by then? */
static bool has_written(const struct ordering *o, uint32_t first, uint32_t ndone)
{
	for (uint32_t i = 0; i < ndone; i++)
		if (o->in->steps[first + i].kind == HD_STEP_WRITE)
			return true;
	return false;
}

/* Append the event of @step, of which so many steps are in the schedule. */
static void put_event(struct ordering *o, uint32_t first, uint32_t ndone)
{
	o->events[o->nevents++] = o->in->steps[first].index;
	for (uint32_t i = 0; i < ndone; i++)
		o->again[o->nagain++] = first + i;
}

/*
 * Make the order of events. An event of which only the beginning is in the schedule is left out,
 * unless it is the goal's own, or has written: then the rest of it comes along. True: nothing
 * had to be moved.
 */
static bool arrange(struct ordering *o, enum placing placing)
{
	bool same = true;

	o->nevents = o->nagain = 0;
	for (size_t i = o->from; i < o->nsteps; i++) {
		uint32_t step = step_at(o, i);
		uint64_t event = o->in->steps[step].index;
		uint32_t ndone = o->done[event - o->prefix], first, all;
		uint32_t goal = goal_step(o, event);

		hd_instance_entry_of(o->in, event, &first);
		all = steps_of(o->in, first);
		if (ndone < all && goal == HD_NO_STEP && !has_written(o, first, ndone))
			same = false;
		else if (step == place_of(o, placing, first, ndone, goal))
			put_event(o, first, goal == HD_NO_STEP ? all : ndone);
	}
	same = same && o->nagain == o->nsteps - o->from;
	for (size_t i = 0; same && i < o->nagain; i++)
		same = o->again[i] == step_at(o, o->from + i);
	return same;
}

/* Does the validator agree with the schedule as it is now? */
static bool is_valid(const struct ordering *o, enum hd_err *err)
{
	enum hd_err wrong = hd_validator_check(o->p->prepared.validator, o->step_goal, o->from,
					       o->again, o->nagain, NULL);

	*err = wrong == HD_ERR_NOMEM ? wrong : HD_OK;
	return !wrong;
}

/* ---- events without steps ------------------------------------------------------------ */

struct weaving {
	const struct hd_predict *p;
	size_t *at; /* of each thread: how far in p->loose */
	struct hd_prediction *out;
	size_t room;
};

static bool add_event(struct weaving *w, uint64_t event)
{
	struct hd_prediction *out = w->out;

	if (!HD_ROOM(out->events, w->room, out->nevents + 1))
		return false;
	out->events[out->nevents++] = event;
	return true;
}

/* What @thread does before @event that is no step. */
static bool catch_up(struct weaving *w, uint32_t thread, uint64_t event)
{
	size_t *at = &w->at[thread];

	while (*at < w->p->loose_from[thread + 1] && w->p->loose[*at] < event)
		if (!add_event(w, w->p->loose[(*at)++]))
			return false;
	return true;
}

static bool weave_event(struct weaving *w, const struct hd_instance *in, uint64_t event)
{
	uint32_t step, other;

	/* Who is joined has come to its end. A T0 has the number after the highest. */
	if (w->p->ops[event] == HD_OP_JOIN && hd_instance_entry_of(in, event, &step)) {
		other = in->steps[step].object + 1;
		if (!catch_up(w, other > w->p->nthreads ? 0 : other, UINT64_MAX))
			return false;
	}
	return catch_up(w, w->p->threads[event], event) && add_event(w, event);
}

/* The first of @thread's from event @from on. */
static size_t first_loose(const struct hd_predict *p, uint32_t thread, uint64_t from)
{
	size_t low = p->loose_from[thread], high = p->loose_from[thread + 1];

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (p->loose[mid] < from)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool weave(const struct ordering *o, const struct hd_goal *goal, struct hd_prediction *out)
{
	struct weaving w = { .p = o->p, .out = out };
	bool ok;

	w.at = malloc((o->p->nthreads + 2ul) * sizeof(*w.at));
	ok = w.at != NULL;
	for (uint32_t t = 0; ok && t <= o->p->nthreads; t++)
		w.at[t] = first_loose(o->p, t, o->prefix);
	for (size_t i = 0; i < o->nevents && ok; i++)
		ok = weave_event(&w, o->in, o->events[i]);
	for (size_t i = 0; i < goal->nnext && ok; i++)
		ok = catch_up(&w, o->p->threads[goal->next[i]], goal->next[i]);
	free(w.at);
	return ok;
}

enum hd_err hd_order_events(const struct hd_predict *p, const struct hd_goal *goal,
			    const struct hd_step_goal *step_goal, const struct hd_solution *s,
			    struct hd_prediction *out, bool *whole, struct hd_errbuf *eb)
{
	struct ordering o = { .p = p,
			      .in = &p->in,
			      .step_goal = step_goal,
			      .s = s,
			      .nsteps = s->observed + s->nsteps };
	enum hd_err err = HD_OK;

	find_prefix(&o);
	*whole = false;
	if (!count_steps(&o))
		err = HD_ERR_NOMEM;
	for (int placing = 0; placing < PLACINGS && !err && !*whole; placing++) {
		*whole = arrange(&o, placing);
		if (!*whole)
			*whole = is_valid(&o, &err);
	}
	out->prefix = o.prefix;
	if (!err && *whole && !weave(&o, goal, out))
		err = HD_ERR_NOMEM;
	free(o.done);
	free(o.events);
	free(o.again);
	return err ? hd_fail(eb, err, "out of memory for a schedule") : HD_OK;
}
