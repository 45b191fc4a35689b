#include "cell_feed.h"

#include <inttypes.h>

#include "common/budget.h"
#include "trace/plan_entry.h"
#include "trace/trace_cells.h"

#define LOOK 4096 /* steps between looks at the budget */

static uint32_t number_of(const struct hd_feed *f, uint64_t thread)
{
	return thread ? (uint32_t)thread : f->highest + 1;
}

static enum hd_err feed_step(void *arg, const struct hd_cell_step *step, struct hd_errbuf *eb)
{
	struct hd_feed *f = arg;
	struct hd_fed fed = { .ev = step->ev,
			      .index = step->index,
			      .op = step->op,
			      .thread = step->thread,
			      .cell = step->cell ? step->cell->number : HD_NO_CELL,
			      .value = step->value,
			      .value2 = step->value2 };

	/* Imported runs may begin with T0. */
	if (step->ev && hd_op_is_planned(step->ev->op))
		fed.thread = number_of(f, step->ev->thread);
	if (step->ev && (step->op == HD_OP_FORK || step->op == HD_OP_JOIN))
		fed.other = number_of(f, step->ev->value);
	if (++f->nsteps % LOOK == 0 && hd_budget_over())
		return hd_fail(eb, HD_ERR_STOPPED, "stopped while reading the run");
	return f->fn(f->arg, &fed, eb);
}

enum hd_err hd_feed_open(struct hd_feed *f, struct hd_trace *t, struct hd_errbuf *eb)
{
	uint64_t highest;
	enum hd_err err;

	*f = (struct hd_feed){ 0 };
	err = hd_cells_open(&f->cells, t, eb);
	if (err)
		return err;
	highest = hd_cells_highest_thread(f->cells);
	if (highest > HD_FEED_THREADS)
		return hd_fail(eb, HD_ERR_LIMIT,
			       "there is a thread T%" PRIu64 ": prediction takes "
			       "numbers up to %u",
			       highest, HD_FEED_THREADS);
	f->highest = (uint32_t)highest;
	f->ncells = hd_cells_count(f->cells);
	return HD_OK;
}

void hd_feed_close(struct hd_feed *f)
{
	hd_cells_close(f->cells);
	f->cells = NULL;
}

enum hd_err hd_feed_pass(struct hd_feed *f, hd_fed_fn *fn, void *arg, struct hd_errbuf *eb)
{
	f->fn = fn;
	f->arg = arg;
	return hd_cells_pass(f->cells, feed_step, f, eb);
}
