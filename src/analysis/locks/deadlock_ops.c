/* Lock order as one of the analyses of a recorded run. */
#include "analysis/analysis.h"
#include "lock_graph.h"

static void *deadlock_new(const struct hd_analysis_setup *setup)
{
	return hd_lock_graph_new(setup->found, setup->found_arg);
}

static void deadlock_free(void *self)
{
	hd_lock_graph_free(self);
}

static enum hd_err deadlock_feed(void *self, const struct hd_event *events, size_t n,
				 uint64_t first)
{
	return hd_lock_graph_feed(self, events, n, first);
}

static enum hd_err deadlock_finish(void *self)
{
	return hd_lock_graph_finish(self);
}

static void deadlock_notes(void *self, hd_analysis_note_fn *note, void *arg)
{
	const struct hd_analysis_note incomplete = {
		.text = "the search for lock cycles was cut short; there may be more"
	};

	if (hd_lock_graph_incomplete(self))
		note(arg, &incomplete);
}

const struct hd_analysis_ops hd_deadlock_ops = {
	.new = deadlock_new,
	.free = deadlock_free,
	.feed = deadlock_feed,
	.finish = deadlock_finish,
	.notes = deadlock_notes,
};
