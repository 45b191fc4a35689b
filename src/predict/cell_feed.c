#include "cell_feed.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/budget.h"
#include "trace/plan_entry.h"
#include "trace/trace_cells.h"

#define LOOK 4096 /* steps between looks at the budget */

/* What tells an event from its neighbours, and its number in the trace. */
struct seen {
	uint64_t addr, value, index;
	uint32_t thread;
	uint8_t op;
};

struct feed {
	hd_fed_fn *fn;
	void *arg;
	struct seen *seen;
	size_t nseen, room;
	size_t next;	    /* in seen: the first event that has not come yet */
	uint32_t last_cell; /* of the event before it; HD_NO_CELL: it is no access */
	uint32_t highest;   /* number of a thread */
	uint64_t nsteps;
};

static uint32_t number_of(const struct feed *f, uint64_t thread)
{
	return thread ? (uint32_t)thread : f->highest + 1;
}

static void note_threads(struct feed *f, const struct hd_event *ev)
{
	bool other = ev->op == HD_OP_FORK || ev->op == HD_OP_JOIN;

	if (ev->thread > f->highest)
		f->highest = ev->thread;
	if (other && ev->value > f->highest)
		f->highest = ev->value < UINT32_MAX ? (uint32_t)ev->value : UINT32_MAX;
}

static enum hd_err list_events(struct feed *f, struct hd_trace *t, struct hd_errbuf *eb)
{
	const struct hd_event *ev;
	uint64_t index = 0;
	size_t n;

	hd_trace_rewind(t);
	/* Damage is reported by the passes that follow, after all events before it. */
	while (hd_trace_next(t, &ev, &n, NULL) == HD_OK && n) {
		if (hd_budget_over())
			return hd_fail(eb, HD_ERR_STOPPED, "stopped while reading the run");
		for (size_t i = 0; i < n; i++) {
			if (!HD_ROOM(f->seen, f->room, f->nseen + 1))
				return hd_fail(eb, HD_ERR_NOMEM, "out of memory for %zu events",
					       2 * f->room);
			note_threads(f, &ev[i]);
			f->seen[f->nseen++] = (struct seen){ ev[i].addr, ev[i].value, index++,
							     ev[i].thread, ev[i].op };
		}
	}
	return HD_OK;
}

static bool same(const struct seen *s, const struct hd_event *ev)
{
	return s->op == ev->op && s->addr == ev->addr && s->value == ev->value &&
	       s->thread == ev->thread;
}

/*
 * The number of the step's event. Steps come in the order of events and each event but some
 * INITs and ranges has one; the cells of an event go up, so that one that does not is the next
 * event's even if the two are alike.
 */
static uint64_t index_of(struct feed *f, const struct hd_cell_step *step)
{
	uint32_t cell = step->cell ? step->cell->number : HD_NO_CELL;
	bool more_of_last = f->next && step->cell && f->last_cell != HD_NO_CELL &&
			    cell > f->last_cell && same(&f->seen[f->next - 1], step->ev);

	if (!more_of_last)
		while (f->next < f->nseen && !same(&f->seen[f->next++], step->ev))
			;
	f->last_cell = cell;
	return f->next ? f->seen[f->next - 1].index : 0;
}

static enum hd_err feed_step(void *arg, const struct hd_cell_step *step, struct hd_errbuf *eb)
{
	struct feed *f = arg;
	struct hd_fed fed = { .ev = step->ev,
			      .op = step->op,
			      .thread = step->thread,
			      .cell = step->cell ? step->cell->number : HD_NO_CELL,
			      .value = step->value,
			      .value2 = step->value2 };

	fed.index = step->ev ? index_of(f, step) : UINT64_MAX;
	/* Imported runs may begin with T0. */
	if (step->ev && hd_op_is_planned(step->ev->op))
		fed.thread = number_of(f, step->ev->thread);
	if (step->ev && (step->op == HD_OP_FORK || step->op == HD_OP_JOIN))
		fed.other = number_of(f, step->ev->value);
	if (++f->nsteps % LOOK == 0 && hd_budget_over())
		return hd_fail(eb, HD_ERR_STOPPED, "stopped while reading the run");
	return f->fn(f->arg, &fed, eb);
}

enum hd_err hd_feed_cells(struct hd_trace *t, hd_fed_fn *fn, void *arg, struct hd_errbuf *eb)
{
	struct feed f = { .fn = fn, .arg = arg, .last_cell = HD_NO_CELL };
	enum hd_err err = list_events(&f, t, eb);

	if (!err && f.highest > HD_FEED_THREADS)
		err = hd_fail(eb, HD_ERR_LIMIT,
			      "there is a thread T%" PRIu32 ": prediction takes "
			      "numbers up to %u",
			      f.highest, HD_FEED_THREADS);
	if (!err)
		err = hd_cells_each(t, feed_step, &f, eb);
	free(f.seen);
	return err;
}
