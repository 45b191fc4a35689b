/*
 * The analysis of tasks of src/analysis (races and atomicity in all schedules), fed while the
 * program runs, so that no trace is needed.
 */
#ifndef HD_RUNTIME_TASKS_ONLINE_H
#define HD_RUNTIME_TASKS_ONLINE_H

#include "runtime/rt.h"

/* It is a program of tasks. */
extern bool hd_rt_has_tasks;

/* A program of tasks begins: watch it, if the options ask for it. */
void hd_rt_tasks_start(void);
/* Put what was found since the last time into the trace. */
void hd_rt_tasks_tell(void);

/* tell_found.c: one of them. */
struct hd_found;
void hd_rt_tell_task_found(void *arg, const struct hd_found *f);
/* What the answer does not hold for, once. */
struct hd_task_check;
void hd_rt_tell_task_limits(const struct hd_task_check *check);

/* An event of the current fiber. */
void hd_rt_tasks_sync(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2, uint32_t size,
		      uint16_t arg);
void hd_rt_tasks_access(uintptr_t addr, uint64_t len, bool write, uintptr_t pc);

/*
 * An access of 1, 2, 4 or 8 bytes, aligned, to a location of which no more is known than a test for races
 * needs. False: that is not so, or the step is not known; nothing was done. @done: no such access tells
 * anything new to the step any more.
 */
bool hd_rt_tasks_thin(uintptr_t addr, unsigned size, bool write, uintptr_t pc, uint32_t ctx,
		      bool *done);
/* The same question of an access that was made. */
bool hd_rt_tasks_done(uintptr_t addr, unsigned size, bool write);

/* May accesses of a loop be told of before it, as ranges? */
bool hd_rt_tasks_may_range(void);
/* As many elements of 4 or 8 bytes, aligned, as lie in @len bytes. */
void hd_rt_tasks_range(uintptr_t addr, size_t len, unsigned size, bool write, uintptr_t pc);

/* Is @addr the memory of one thread while a region lasts? */
bool hd_rt_tasks_own(uintptr_t addr);
/* How often memory was given out or back so far. */
extern uint64_t hd_rt_tasks_memory;

/* Who else wants to hear of plain accesses, if anybody does; NULL: nobody. */
extern void (*hd_rt_on_access)(uintptr_t addr, uint64_t len, bool write, uintptr_t pc);

static inline bool hd_rt_tasking(void)
{
	return hd_rt.mode & HD_M_TASKS;
}

#endif
