/*
 * Runs that follow a plan: their options, and whether it is the plan's program at all.
 */
#ifndef HD_FINDINGS_PLAN_RUN_H
#define HD_FINDINGS_PLAN_RUN_H

#include "common/err.h"
#include "trace/plan.h"
#include "heddle/engine/run_config.h"

/*
 * Of the observed run's options, make those of a run by plan: every access is a scheduling point and
 * recorded. The policy stays what it was; the runtime is to be told policy=plan. HD_OK or an
 * exit status.
 */
void hd_plan_options(struct hd_run_config *run);

/* Is it the program that the plan was made from, with the same arguments? */
enum hd_err hd_plan_check_program(const struct hd_plan *p, const char *path, char **argv, int argc);

/* Is @after (may be NULL) a way to go on after the goal? */
enum hd_err hd_plan_check_after(const char *after);

#endif
