/*
 * The published algorithm with twelve fixed entries for each location, for comparison: it misses
 * violations (two steps do not stand for all readers or writers the way they are chosen, one stands
 * for all pairs, locks of the interleaving access are not looked at), and what it misses depends on
 * the schedule that it sees.
 *
 * Where its description is open: what a step did is kept for a step, not for a task; a step's
 * first read and first write are kept also when the other came before.
 */
#ifndef HD_ANALYSIS_TASK_PAPER_H
#define HD_ANALYSIS_TASK_PAPER_H

#include "task_check_impl.h"

/* An access (@arg: struct hd_task_access) to one location. */
void hd_paper_access(void *arg, uint64_t granule, struct hd_task_cell *cell);

#endif
