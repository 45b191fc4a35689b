/*
 * What the files of the explorer's policy know of each other:
 *
 *   policy_explore.c    decisions: what was asked for, then the default
 *   enabled.c           who can do something
 *   choose_next.c       whom an execution lets run by itself
 *   sleep_set.c         who need not be tried here
 *   tell_operations.c   what threads do, for the explorer
 *   execution_end.c     how an execution ends
 */
#ifndef HD_RUNTIME_POLICY_EXPLORE_H
#define HD_RUNTIME_POLICY_EXPLORE_H

#include "runtime/rt.h"
#include "runtime/sched/policy.h"
#include "trace/execution_shared.h"

/* ---- tell_operations.c ------------------------------------------------------------- */

/* Whose operation was the last of this step; 0: it has had none. */
extern uint32_t hd_rt_op_thread;

void hd_rt_tell_op(uint32_t thread, enum hd_xop_kind kind, uint64_t object, uint8_t bytes,
		   bool resumed);
/* What the operation is that @f waits with, or would. */
void hd_rt_tell_wait(const struct fiber *f, enum hd_thread_state why, uintptr_t addr);
void hd_rt_tell_await(const struct fiber *f);
/* The step that was begun is unmade. */
void hd_rt_tell_forget(void);

/* ---- sleep_set.c ------------------------------------------------------------------- */

/* @op happens: who depends on it is awake. */
void hd_rt_sleep_wake(const struct hd_xop *op);
bool hd_rt_sleep_has(uint32_t thread);
/* The execution has come to where it is to go its own way; or another one begins. */
void hd_rt_sleep_begin(void);
void hd_rt_sleep_forget(void);
/* @thread was awake for what was done since some operation, and can do nothing else that was not tried. */
void hd_rt_sleep_again(uint32_t thread);

/* ---- enabled.c --------------------------------------------------------------------- */

extern uint32_t hd_rt_in_vain;	/* how many of those that could run would look in vain: await.h */
extern uint64_t hd_rt_left_out; /* who of those that could run is too tired to; 0: nobody */

/* Those of @cand that can do something, by number, into the log; how many. */
uint32_t hd_rt_log_enabled(enum hd_pick why, struct fiber *const *cand, unsigned n);
/* Would @f only find that it has to wait? */
bool hd_rt_would_wait(const struct fiber *f);
/* Would the next thing that happens to @f be that its time is up? */
bool hd_rt_is_late(const struct fiber *f);
/* Has @f gone round a loop so often that others come first? */
bool hd_rt_is_tired(const struct fiber *f);
bool hd_rt_stops_in_loop(const struct fiber *f);
/* Nobody of @cand can do anything: the same of those who go on after rounds in vain. Or the execution ends here. */
uint32_t hd_rt_enabled_after_rounds(struct fiber *const *cand, unsigned n);
/* It ends because threads have stopped in loops. */
bool hd_rt_left_in_loops(void);
/* One of those who would have to wait for each other; 0: nobody. */
uint32_t hd_rt_of_wait_cycle(struct fiber *const *cand, unsigned n);

/* ---- choose_next.c ------------------------------------------------------------------- */

/* The step that was asked for next, if one of the @n threads can make it; 0: none, from now on. */
uint32_t hd_rt_follow(const uint32_t *threads, uint32_t n);
void hd_rt_follow_anew(void);
/* One of the @n who are not asleep. If all are, the execution ends. */
uint32_t hd_rt_choose_awake(const uint32_t *enabled, uint32_t n, uint32_t current);

/* ---- execution_end.c -------------------------------------------------------------------- */

void hd_rt_explore_stop(enum hd_xend end) __attribute__((noreturn));
/* The same; what is left undone is not told. */
void hd_rt_explore_stop_untold(enum hd_xend end) __attribute__((noreturn));

#endif
