/*
 * The front of thin locations, for workers.
 */
#ifndef HD_PARALLEL_PAR_FRONT_H
#define HD_PARALLEL_PAR_FRONT_H

#include "analysis/tasks/task_front.h"

extern struct hd_task_front hd_par_front __attribute__((visibility("hidden")));
extern bool hd_par_fronted __attribute__((visibility("hidden")));

void hd_par_front_start(struct hd_task_check *check, const struct hd_task_options *options);
/* Add what the front knows. */
void hd_par_front_stats(struct hd_task_stats *s);

#endif
