/* Wake-ups that may be missed as one of the analyses of a recorded run. */
#include "analysis/analysis.h"
#include "lost_wakeup.h"

static void *wakeups_new(const struct hd_analysis_setup *setup)
{
	return hd_lost_wakeups_new();
}

static void wakeups_free(void *self)
{
	hd_lost_wakeups_free(self);
}

static enum hd_err wakeups_learn(void *self, const struct hd_event *events, size_t n)
{
	return hd_lost_wakeups_waits(self, events, n);
}

static enum hd_err wakeups_feed(void *self, const struct hd_event *events, size_t n, uint64_t first)
{
	return hd_lost_wakeups_wakes(self, events, n);
}

static void wakeups_notes(void *self, hd_analysis_note_fn *note, void *arg)
{
	struct hd_analysis_note lost = { .text = NULL };

	if (hd_lost_wakeups_first(self, &lost.lost))
		note(arg, &lost);
}

const struct hd_analysis_ops hd_wakeups_ops = {
	.new = wakeups_new,
	.free = wakeups_free,
	.learn = wakeups_learn,
	.feed = wakeups_feed,
	.notes = wakeups_notes,
};
