/*
 * --suggest-orders: the smallest set of stronger memory orders under which a failing program is right, and what can be
 * weaker in one that is.
 */
#ifndef HD_EXPLORE_SUGGEST_ORDERS_H
#define HD_EXPLORE_SUGGEST_ORDERS_H

#include "exploration.h"

/* What there is to say is in @to. */
enum hd_err hd_exploration_suggest(struct hd_exploration *x, struct hd_orders *to);
void hd_orders_note(struct hd_campaign *c, const struct hd_orders *o);
void hd_orders_free(struct hd_orders *o);

#endif
