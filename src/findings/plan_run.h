/*
 * Runs that follow a plan: their options, and whether it is the plan's program at all.
 */
#ifndef HD_FINDINGS_PLAN_RUN_H
#define HD_FINDINGS_PLAN_RUN_H

#include "cli/cli_options.h"
#include "trace/plan.h"

/*
 * Of the observed run's options, make those of a run by plan: every access is a scheduling point and
 * recorded. The policy stays what it was; the runtime is to be told policy=plan. HD_GO_ON or an
 * exit status.
 */
int hd_plan_options(struct hd_cli_options *o);

/* Is it the program that the plan was made from, with the same arguments? HD_GO_ON, or a message. */
int hd_plan_check_program(const struct hd_plan *p, const char *path, char **argv, int argc);

/* Is @after (may be NULL) a way to go on after the goal? HD_GO_ON, or a message. */
int hd_plan_check_after(const char *after);

#endif
