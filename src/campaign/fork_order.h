/*
 * What fork and join alone bring into one order, in every run that makes the same threads.
 */
#ifndef HD_CAMPAIGN_FORK_ORDER_H
#define HD_CAMPAIGN_FORK_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "trace/trace_reader.h"

/*
 * Accesses @e1 and @e2 of one thread, and @f of another one, are events of @t in this order. *@fixed: the other thread
 * is made after @e1, and joined before @e2. Nothing could bring them into another order. @t is read from its start.
 */
enum hd_err hd_fork_order_fixes(struct hd_trace *t, const uint64_t e1_f_e2[3], bool *fixed);

#endif
