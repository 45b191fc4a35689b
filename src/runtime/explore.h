/*
 * Executions for the explorer: what happens is told to it operation by operation, and it
 * decides who runs.
 */
#ifndef HD_RUNTIME_EXPLORE_H
#define HD_RUNTIME_EXPLORE_H

#include "rt.h"

/* Before main: wait for requests. Returns once for each, in a copy of the process. */
void hd_rt_explore_serve(void);

/* A donor that was made ahead, for @f. False: there is none with these attributes. */
bool hd_rt_spare_take(struct fiber *f, const pthread_attr_t *attr);

/* From now on this execution depends on more than its memory. */
void hd_rt_explore_cannot_stay(void);

/* An event of the current fiber. Accesses and atomics come with their size, others with 0. */
void hd_rt_explore_event(enum hd_op op, uintptr_t addr, uint64_t value, uint32_t size,
			 uint16_t arg);

/* The current fiber is about to wait at @addr. */
void hd_rt_explore_block(enum hd_thread_state why, uintptr_t addr);
/* The current fiber lets @f go on. */
void hd_rt_explore_wake(const struct fiber *f);
/* The current fiber goes on after it waited; @woken: somebody let it. */
void hd_rt_explore_resume(bool woken);
/* Only @f can run. */
void hd_rt_explore_forced(const struct fiber *f);

/* A fault: @site tells it from others of its kind. */
void hd_rt_explore_fault(enum hd_finding_kind kind, uint64_t site);
/* The program ends. */
void hd_rt_explore_end(void);

#endif
