/*
 * The interleaving of a finding as prediction has it, in place of the observed one.
 */
#ifndef HD_REPORT_REORDER_H
#define HD_REPORT_REORDER_H

#include "run_model.h"

/* Another order of the run's events: the first @prefix as they were, then @events. */
struct hd_reordering {
	struct hd_finding *finding;
	uint64_t prefix;
	const uint64_t *events;
	size_t nevents;
	const uint64_t *next; /* events that are about to happen then */
	size_t nnext;
	const uint64_t *order; /* events that it is made for, in this order */
	size_t norder;
	bool open_end; /* the finding's last access has not happened yet */
	bool relaxed;  /* values were not looked at */
};

/*
 * Fill in the steps of each finding from its order, in one pass over the trace. What the
 * finding had is dropped.
 */
enum hd_err hd_reorder(struct hd_run *run, const struct hd_reordering *list, size_t n,
		       struct hd_errbuf *eb);

#endif
