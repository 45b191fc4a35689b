/*
 * The order of accesses and locks that would tear a unit, as columns of threads.
 */
#ifndef HD_CORRELATE_READER_TORN_ORDER_H
#define HD_CORRELATE_READER_TORN_ORDER_H

#include "report/run_model.h"

/* Give @f, an extended race with an access between those of its unit, its interleaving; false: no memory. */
bool hd_cr_torn_order(struct hd_finding *f);

#endif
