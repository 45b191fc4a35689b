/*
 * Are two traces of the same run? Decisions and findings do not count, what the threads did does.
 */
#ifndef HD_CAMPAIGN_SAME_RUN_H
#define HD_CAMPAIGN_SAME_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace_reader.h"

struct hd_difference {
	bool differs;	/* a thread did something else, or somewhere else, or another thread did */
	bool in_value;	/* only values, or where memory lies */
	uint64_t index; /* of the first difference, among the events that count */
	struct hd_event a, b; /* there; op 0: that one had ended */
};

/* Both are read from their starts. The first difference that is not only in values counts. */
void hd_compare_runs(struct hd_trace *a, struct hd_trace *b, struct hd_difference *out);

#endif
