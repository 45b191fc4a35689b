/*
 * Items that several ranks decide: each has read the run, and knows all items by their numbers.
 */
#ifndef HD_FINDINGS_PREDICT_RANKS_H
#define HD_FINDINGS_PREDICT_RANKS_H

#include "predict_work.h"
#include "ranks/ranks.h"

/*
 * Once @w can decide: with @n processes of this machine, if they are more than one, or with @launched ranks (size 0: there are
 * none), of which this one leads. Each item is decided as by one process.
 */
enum hd_err hd_work_decide_with(struct hd_work *w, unsigned n, const struct hd_ranks *launched,
				struct hd_errbuf *eb);
/* One of these ranks, but for the first: until that has ended. */
void hd_work_help(struct hd_work *w, struct hd_ranks *ranks);

#endif
