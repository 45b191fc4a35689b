/*
 * Locks that a fiber holds, for reports and misuse checks: held.c.
 */
#ifndef HD_RUNTIME_FIBER_LOCKS_H
#define HD_RUNTIME_FIBER_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/map.h"

struct hd_held {
	uintptr_t addr; /* 0: it was given back, and others that are held came later */
	uint16_t mode;	/* enum hd_lock_mode */
	uint32_t depth;
};

struct hd_fiber_locks {
	struct hd_held *held; /* in the order in which they were taken */
	uint32_t used, cap;   /* places */
	uint32_t n;	      /* that are held */
	struct hd_map places; /* address -> place + 1, once there are many */
	/* sections.c: what the runtime has taken for it, and until when */
	void *kept;
	uintptr_t kept_to, kept_below;
	bool kept_ends;
};

#endif
