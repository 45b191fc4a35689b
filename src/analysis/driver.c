#include "driver.h"

#include <stdlib.h>

#include "common/budget.h"
#include "common/clock.h"
#include "trace/event_meaning.h"

/* An event that means something new is to be thought of here. */
#pragma GCC diagnostic error "-Wswitch"
#pragma GCC diagnostic error "-Wswitch-enum"

struct hd_driver {
	struct hd_analysis_setup setup;
	hd_found_fn *found; /* whoever made the driver */
	void *found_arg;
	hd_driver_alloc_fn *allocated;
	void *arg;
	void *self[HD_DO_COUNT]; /* NULL: not wanted, or nothing for it */
	enum hd_err group_err;
	struct hd_analyses_stats stats;
};

static const struct {
	const char *word;
	const struct hd_analysis_ops *ops;
} analyses[HD_DO_COUNT] = {
#define HD_ANALYSIS(NAME, name, what) { #name, &hd_##name##_ops },
#include "analyses.def"
#undef HD_ANALYSIS
};

const char *hd_analysis_word(enum hd_analysis which)
{
	return analyses[which].word;
}

/* Of tasks it is known exactly what locks leave possible. */
static void found(void *arg, const struct hd_found *f)
{
	struct hd_driver *d = arg;

	if (f->kind != HD_KIND_LOCKSET || !d->self[HD_DO_TASKS])
		d->found(d->found_arg, f);
}

static void drop(struct hd_driver *d, int i)
{
	if (d->self[i])
		analyses[i].ops->free(d->self[i]);
	d->self[i] = NULL;
	d->stats.seconds[i] = 0;
}

enum hd_err hd_driver_new(struct hd_driver **out, const struct hd_analysis_setup *setup,
			  hd_driver_alloc_fn *allocated, void *arg)
{
	struct hd_driver *d = calloc(1, sizeof(*d));

	*out = NULL;
	if (!d)
		return HD_ERR_NOMEM;
	d->setup = *setup;
	d->found = setup->found;
	d->found_arg = setup->found_arg;
	d->setup.found = found;
	d->setup.found_arg = d;
	d->allocated = allocated;
	d->arg = arg;
	for (int i = 0; i < HD_DO_COUNT; i++) {
		if (!setup->wanted[i])
			continue;
		d->self[i] = analyses[i].ops->new (&d->setup);
		if (!d->self[i]) {
			hd_driver_free(d);
			return HD_ERR_NOMEM;
		}
	}
	*out = d;
	return HD_OK;
}

void hd_driver_free(struct hd_driver *d)
{
	if (!d)
		return;
	for (int i = 0; i < HD_DO_COUNT; i++)
		drop(d, i);
	free(d);
}

/* ---- first pass ------------------------------------------------------------------------- */

/* Is it a program of tasks, and does anything order them that the tree of tasks does not know? */
static void learn_tasks(struct hd_analysis_setup *setup, const struct hd_event *events, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned op = events[i].op;

		switch (hd_op_about(op)) {
		case HD_ABOUT_TASK:
			setup->has_tasks |= op == HD_OP_TASK_SPAWN || op == HD_OP_FINISH_BEGIN;
			break;
		case HD_ABOUT_TEAM:
			setup->has_tasks |= op == HD_OP_UNIT || op == HD_OP_ITERATION;
			break;
		case HD_ABOUT_COND:
		case HD_ABOUT_BARRIER:
		case HD_ABOUT_SEM:
		case HD_ABOUT_MARK:
		case HD_ABOUT_FUTURE:
		case HD_ABOUT_PHASER:
			setup->tasks.other_order |= hd_op_way(op) == HD_WAY_GIVES;
			break;
		case HD_ABOUT_NOTHING:
		case HD_ABOUT_THREAD:
		case HD_ABOUT_CHILD:
		case HD_ABOUT_MEMORY:
		case HD_ABOUT_HEAP:
		case HD_ABOUT_LOCK:
		case HD_ABOUT_ONCE:
		case HD_ABOUT_ATOMIC:
		case HD_ABOUT_FENCE:
		case HD_ABOUT_CODE:
		case HD_ABOUT_RUN:
		case HD_ABOUT_FINDING:
			break;
		}
	}
}

static bool has_huge_thread(const struct hd_event *events, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool other = events[i].op == HD_OP_FORK || events[i].op == HD_OP_JOIN;

		if (events[i].thread > HD_THREADS_MAX ||
		    (other && events[i].value > HD_THREADS_MAX))
			return true;
	}
	return false;
}

enum hd_err hd_driver_learn(struct hd_driver *d, const struct hd_event *events, size_t n)
{
	learn_tasks(&d->setup, events, n);
	if (has_huge_thread(events, n))
		return HD_ERR_LIMIT;
	for (int i = 0; i < HD_DO_COUNT; i++) {
		double began = hd_now();
		enum hd_err err;

		if (!d->self[i] || !analyses[i].ops->learn)
			continue;
		err = analyses[i].ops->learn(d->self[i], events, n);
		if (err)
			return err;
		d->stats.seconds[i] += hd_now() - began;
	}
	return HD_OK;
}

enum hd_err hd_driver_begin(struct hd_driver *d)
{
	d->stats.has_tasks = d->setup.has_tasks;
	for (int i = 0; i < HD_DO_COUNT; i++) {
		enum hd_err err;

		if (!d->self[i] || !analyses[i].ops->begin)
			continue;
		err = analyses[i].ops->begin(d->self[i]);
		if (err == HD_ERR_UNSUPPORTED)
			drop(d, i);
		else if (err)
			return err;
	}
	return HD_OK;
}

/* ---- second pass ------------------------------------------------------------------------ */

bool hd_driver_takes_groups(const struct hd_driver *d)
{
	for (int i = 0; i < HD_DO_COUNT; i++) {
		if (d->self[i] && analyses[i].ops->add_group)
			return true;
	}
	return false;
}

enum hd_err hd_driver_add_group(struct hd_driver *d, uint64_t addr, uint64_t len, uint32_t group)
{
	for (int i = 0; i < HD_DO_COUNT && !d->group_err; i++) {
		if (d->self[i] && analyses[i].ops->add_group)
			d->group_err = analyses[i].ops->add_group(d->self[i], addr, len, group);
	}
	return d->group_err;
}

/* A batch is hot in the cache when the next analysis looks at it. */
static enum hd_err feed(struct hd_driver *d, const struct hd_event *events, size_t n,
			uint64_t first)
{
	for (int i = 0; i < HD_DO_COUNT && n; i++) {
		double began = hd_now();
		enum hd_err err;

		if (!d->self[i])
			continue;
		err = analyses[i].ops->feed(d->self[i], events, n, first);
		if (err)
			return err;
		d->stats.seconds[i] += hd_now() - began;
	}
	d->stats.events += n;
	return HD_OK;
}

enum hd_err hd_driver_feed(struct hd_driver *d, const struct hd_event *events, size_t n,
			   uint64_t first)
{
	size_t from = 0;

	/* A short run is worth it in any case. */
	if (first && hd_budget_over())
		return HD_ERR_STOPPED;
	/* Blocks that belong to a group do so from their allocation on. */
	for (size_t i = 0; d->allocated && i < n; i++) {
		enum hd_err err;

		if (events[i].op != HD_OP_ALLOC)
			continue;
		err = feed(d, events + from, i + 1 - from, first + from);
		if (err)
			return err;
		from = i + 1;
		d->allocated(d->arg, &events[i]);
		if (d->group_err)
			return d->group_err;
	}
	return feed(d, events + from, n - from, first + from);
}

enum hd_err hd_driver_finish(struct hd_driver *d)
{
	for (int i = 0; i < HD_DO_COUNT; i++) {
		const struct hd_analysis_ops *ops = analyses[i].ops;
		double began = hd_now();
		enum hd_err err = d->self[i] && ops->finish ? ops->finish(d->self[i]) : HD_OK;

		if (err)
			return err;
		d->stats.seconds[i] += d->self[i] ? hd_now() - began : 0;
		if (d->self[i] && ops->stats)
			ops->stats(d->self[i], &d->stats);
	}
	return HD_OK;
}

void hd_driver_notes(struct hd_driver *d, hd_analysis_note_fn *note, void *arg)
{
	for (int i = 0; i < HD_DO_COUNT; i++) {
		if (d->self[i] && analyses[i].ops->notes)
			analyses[i].ops->notes(d->self[i], note, arg);
	}
}

const struct hd_analyses_stats *hd_driver_stats(const struct hd_driver *d)
{
	return &d->stats;
}
