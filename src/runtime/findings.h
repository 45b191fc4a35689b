/*
 * Findings of the run itself, sent into the trace with every thread's state and stack.
 */
#ifndef HD_RUNTIME_FINDINGS_H
#define HD_RUNTIME_FINDINGS_H

#include "rt.h"
#include "trace/plan_entry.h"

/* While stacks are being gathered: what a fiber does first when it is switched to. */
extern void (*hd_rt_tell_stack)(void);

/* The replay's decision number @n wanted thread @want, which cannot run. */
void hd_rt_diverged(uint64_t n, uint32_t want);

/* The program ended after @n of the replay's @total decisions. */
void hd_rt_ended_early(uint64_t n, uint64_t total);

/* How the run left its plan. */
struct hd_plan_left {
	enum hd_plan_why why;
	uint32_t entry, thread;	     /* number of the entry; the plan's number of its thread */
	const struct hd_plan_entry *planned;
	struct fiber *fiber;	     /* NULL: the thread is not there */
	enum hd_op op;		     /* what it did; 0: nothing */
	uintptr_t addr;
	const struct hd_plan_entry *differs; /* the last read that saw another value; NULL: none */
	uint64_t got, want;
	uint32_t ctx;
};
void hd_rt_plan_left(const struct hd_plan_left *l);

/* Take over the signals that crashes raise. */
void hd_rt_crash_init(void);
/* The current kernel thread handles crashes on a stack of their own, too. */
void hd_rt_crash_stack_use(void);

#endif
