/*
 * Locks that a fiber holds, for reports and misuse checks: held.c.
 */
#ifndef HD_RUNTIME_FIBER_LOCKS_H
#define HD_RUNTIME_FIBER_LOCKS_H

#include <stdint.h>

struct hd_held {
	uintptr_t addr;
	uint16_t mode; /* enum hd_lock_mode */
	uint32_t depth;
};

struct hd_fiber_locks {
	struct hd_held *held;
	uint32_t n, cap;
};

#endif
