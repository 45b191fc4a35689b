/*
 * Findings of the run itself, sent into the trace with every thread's state and stack.
 */
#ifndef HD_RUNTIME_FINDINGS_H
#define HD_RUNTIME_FINDINGS_H

#include "rt.h"

/* While stacks are being gathered: what a fiber does first when it is switched to. */
extern void (*hd_rt_tell_stack)(void);

/* The replay's decision number @n wanted thread @want, which cannot run. */
void hd_rt_diverged(uint64_t n, uint32_t want);

/* The program ended after @n of the replay's @total decisions. */
void hd_rt_ended_early(uint64_t n, uint64_t total);

/* Take over the signals that crashes raise. */
void hd_rt_crash_init(void);

#endif
