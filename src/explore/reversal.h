/*
 * What is to be tried so that two events of an execution come the other way round.
 */
#ifndef HD_EXPLORE_REVERSAL_H
#define HD_EXPLORE_REVERSAL_H

#include "events.h"
#include "tree.h"

/* @later might come before @earlier. */
struct hd_xrace {
	uint32_t earlier, later;
};

/* Races of an execution that wait until all its events are ordered. */
struct hd_xreversals {
	struct hd_xtree *tree;
	const struct hd_xevents *ev;
	const struct hd_xlog *log;
	struct hd_xrace *races;
	size_t n, cap;
	uint32_t *events; /* working memory */
	size_t events_cap;
};

/*
 * A race was found while events are being ordered; @fresh: not in an execution before this one. False:
 * no memory, or the budget is over.
 */
bool hd_xreversal_found(struct hd_xreversals *r, uint32_t earlier, uint32_t later, bool fresh);

/* All events are ordered: add to the tree what the races ask for. False: as above. */
bool hd_xreversal_all(struct hd_xreversals *r);

void hd_xreversal_free(struct hd_xreversals *r);

#endif
