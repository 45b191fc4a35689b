/*
 * One event of a plan, as the runtime reads it: plain data, shared with the tested program.
 */
#ifndef HD_TRACE_PLAN_ENTRY_H
#define HD_TRACE_PLAN_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "event.h"

enum hd_plan_flag {
	HD_PLAN_FREE = 1, /* the value may be another one (a read at the goal) */
	HD_PLAN_GOAL = 2, /* one of the events of the goal: these happen in the planned order, always */
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

/*
 * Is the event part of plans? Each thread's entries in a plan are all its planned events from its
 * start, in program order, up to some position.
 */
static inline bool hd_op_is_planned(unsigned op)
{
	switch (op) {
	case HD_OP_FORK:
	case HD_OP_JOIN:
	case HD_OP_READ:
	case HD_OP_WRITE:
	case HD_OP_READ_RANGE:
	case HD_OP_WRITE_RANGE:
	case HD_OP_ALLOC:
	case HD_OP_FREE:
	case HD_OP_ACQUIRE:
	case HD_OP_RELEASE:
	case HD_OP_ACQUIRE_FAIL:
	case HD_OP_WAIT:
	case HD_OP_WAKE:
	case HD_OP_NOTIFY:
	case HD_OP_NOTIFY_ALL:
	case HD_OP_BARRIER_ENTER:
	case HD_OP_BARRIER_LEAVE:
	case HD_OP_SEM_POST:
	case HD_OP_SEM_WAIT:
	case HD_OP_ONCE_BEGIN:
	case HD_OP_ONCE_END:
	case HD_OP_ONCE_PASS:
	case HD_OP_HB_RELEASE:
	case HD_OP_HB_ACQUIRE:
	case HD_OP_ATOMIC_LOAD:
	case HD_OP_ATOMIC_STORE:
	case HD_OP_ATOMIC_RMW:
	case HD_OP_ATOMIC_CAS_FAIL:
	case HD_OP_BEGIN:
	case HD_OP_END:
	case HD_OP_FUTURE_PUT:
	case HD_OP_FUTURE_GET:
	case HD_OP_PHASER_SIGNAL:
	case HD_OP_PHASER_WAIT:
	case HD_OP_ISOLATED_BEGIN:
	case HD_OP_ISOLATED_END:
	case HD_OP_CLAIM:
		return true;
	default:
		return false;
	}
}

/*
 * Planned events that a thread may do more or fewer of when others run at other times: libc
 * allocates a buffer for whoever prints first. One too many or too few is not a divergence.
 */
static inline bool hd_op_is_soft(unsigned op)
{
	return op == HD_OP_ALLOC || op == HD_OP_FREE || op == HD_OP_HB_RELEASE ||
	       op == HD_OP_HB_ACQUIRE;
}

#endif
