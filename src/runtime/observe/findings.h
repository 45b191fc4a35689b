/*
 * Findings of the run itself, sent into the trace with every thread's state and stack.
 */
#ifndef HD_RUNTIME_FINDINGS_H
#define HD_RUNTIME_FINDINGS_H

#include "runtime/rt.h"
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
	uint32_t entry, thread; /* number of the entry; the plan's number of its thread */
	const struct hd_plan_entry *planned;
	struct fiber *fiber; /* NULL: the thread is not there */
	enum hd_op op;	     /* what it did; 0: nothing */
	uintptr_t addr;
	const struct hd_plan_entry *differs; /* the last read that saw another value; NULL: none */
	uint64_t got, want;
	uint32_t ctx;
};
void hd_rt_plan_left(const struct hd_plan_left *l);

/* What a memory error is made of: the access, where the block was freed, where it came from. */
struct hd_heap_access {
	enum hd_op op;
	uintptr_t addr;
	uint32_t size, thread;
	uintptr_t pc;
	uint32_t ctx;
};
/*
 * Tell it once for a place (and @what, a literal); the run goes on. The first access is the current
 * fiber's.
 */
void hd_rt_memory_error(const char *what, const char *text, const struct hd_heap_access *accesses,
			unsigned n);

/* Take over the signals that crashes raise. */
void hd_rt_crash_init(void);
/* The current kernel thread handles crashes on a stack of their own, too. */
void hd_rt_crash_stack_use(void);

#endif
