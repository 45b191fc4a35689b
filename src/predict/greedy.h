/*
 * The cheap way to a schedule: go on in the observed order as far as that can be done.
 */
#ifndef HD_PREDICT_GREEDY_H
#define HD_PREDICT_GREEDY_H

#include "closure.h"

/*
 * Try to reach the goal from where @s is, by the clocks of @c (run there). True in *@found:
 * @s has reached it. Otherwise @s is as it was.
 */
enum hd_err hd_greedy(struct hd_progress *s, const struct hd_closure *c, bool *found);

#endif
