/* Data races as one of the analyses of a recorded run. */
#include "analysis/analysis.h"
#include "race.h"

static void *race_new(const struct hd_analysis_setup *setup)
{
	const struct hd_race_options options = { .locksets = true };

	return hd_race_new(&options, setup->found, setup->found_arg);
}

static void race_free(void *self)
{
	hd_race_free(self);
}

static enum hd_err race_feed(void *self, const struct hd_event *events, size_t n, uint64_t first)
{
	for (size_t i = 0; i < n; i++) {
		if (!hd_race_event(self, &events[i], first + i))
			return HD_ERR_NOMEM;
	}
	return HD_OK;
}

const struct hd_analysis_ops hd_race_ops = {
	.new = race_new,
	.free = race_free,
	.feed = race_feed,
};
