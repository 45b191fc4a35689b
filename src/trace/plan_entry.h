/*
 * One event of a plan, as the runtime reads it: plain data, shared with the tested program.
 */
#ifndef HD_TRACE_PLAN_ENTRY_H
#define HD_TRACE_PLAN_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "event_meaning.h"

enum hd_plan_flag {
	HD_PLAN_FREE = 1, /* the value may be another one (a read at the goal) */
	HD_PLAN_GOAL =
		2, /* one of the events of the goal: these happen in the planned order, always */
	HD_PLAN_NEXT = 4, /* not executed: at the end its thread stands before this event */
};

/* Numbers of threads in a plan are no larger. */
#define HD_PLAN_THREADS_MAX (1u << 20)

struct hd_plan_entry {
	uint32_t thread; /* as the observed trace numbers threads */
	uint16_t op;	 /* enum hd_op */
	uint16_t flags;	 /* enum hd_plan_flag */
	uint32_t size;
	uint32_t arg; /* of the event */
	uint64_t pc, addr, value, value2;
	uint64_t index; /* number of the event in the observed trace */
};

#endif
