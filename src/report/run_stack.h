/*
 * Stacks of a run, as they are gathered and named: for those who make the model (run_model.h).
 */
#ifndef HD_REPORT_RUN_STACK_H
#define HD_REPORT_RUN_STACK_H

#include "run_model.h"

/* These are false where there is no memory. What is deeper than we keep is left out. */
bool hd_stack_push(struct hd_stack *s, uint64_t pc);
/* The stack of an event at @pc in calling context @ctx. */
bool hd_stack_add_context(const struct hd_run *run, struct hd_stack *s, uint64_t pc, uint32_t ctx);

/* Fill in the frames, without the runtime's and those that start threads. */
enum hd_err hd_stack_symbolise(const struct hd_run *run, struct hd_stack *s);

#endif
