/*
 * What policies keep of a fiber, and what it has told them.
 */
#ifndef HD_RUNTIME_FIBER_POLICY_H
#define HD_RUNTIME_FIBER_POLICY_H

#include <stdbool.h>
#include <stdint.h>

struct hd_fiber_policy {
	uint64_t priority;
	struct hd_plan_thread *plan; /* policy_plan.c; NULL: the plan does not have it */
	uint32_t waits;		     /* on condition variables, so far */
	bool yields;		     /* it has asked for others to run */
};

#endif
