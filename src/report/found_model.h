/*
 * What analyses found, as findings of a run.
 */
#ifndef HD_REPORT_FOUND_MODEL_H
#define HD_REPORT_FOUND_MODEL_H

#include "run_model.h"

/*
 * Add @found, which stays the caller's. Races by happens-before and torn blocks are
 * findings; the rest is candidates. More than HD_RUN_CANDIDATES of a kind are
 * counted only.
 */
enum hd_err hd_run_add_found(struct hd_run *run, const struct hd_found *found);

#endif
