/*
 * Steps as blocks of the analysis of the run at hand (atomicity.h): what a checker sees that does
 * not look at other schedules. For comparison.
 */
#ifndef HD_ANALYSIS_TASK_VELODROME_H
#define HD_ANALYSIS_TASK_VELODROME_H

#include "analysis/blocks/atomicity.h"
#include "dpst.h"

struct hd_task_velodrome;

struct hd_task_velodrome *hd_task_velodrome_new(void);
void hd_task_velodrome_free(struct hd_task_velodrome *v);

/* @ev, after which its thread is in @step (0: in none). */
enum hd_err hd_task_velodrome_event(struct hd_task_velodrome *v, hd_dpst_id step,
				    const struct hd_event *ev, uint64_t index);
void hd_task_velodrome_report(const struct hd_task_velodrome *v, hd_found_fn *fn, void *arg);

#endif
