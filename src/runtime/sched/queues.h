/*
 * Which fibers can run, and what the others wait for. What the rest of the runtime calls is in
 * rt.h; this is the scheduler's own.
 */
#ifndef HD_RUNTIME_QUEUES_H
#define HD_RUNTIME_QUEUES_H

#include "runtime/rt.h"

/* @f, which can run, cannot any more; @state says why. */
void hd_rt_remove_runnable(struct fiber *f, enum hd_fiber_state state);
/* @f begins to wait for its wait.addr: at the end, so that waiters are in order of arrival. */
void hd_rt_queue_add(struct fiber *f);
/* Its wait ends at wait.deadline at the latest. */
void hd_rt_timed_add(struct fiber *f);
/* How often a waiter was looked at: a test of what thousands of them cost. */
extern uint64_t hd_rt_queue_looks;
/* Out of both. It is not made runnable. */
void hd_rt_stop_waiting(struct fiber *f);

#endif
