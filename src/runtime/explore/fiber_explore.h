/*
 * What an explorer knows of a fiber: what it will try next if it runs, and what it waited for last.
 */
#ifndef HD_RUNTIME_FIBER_EXPLORE_H
#define HD_RUNTIME_FIBER_EXPLORE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"

struct hd_fiber_explore {
	enum hd_thread_state wants;
	uint32_t npoints; /* scheduling points that it came to */
	uintptr_t wants_addr, resumed_at;
	uint64_t wants_until; /* what it will try ends then at the latest; HD_NEVER: never */
	bool calm; /* it stands where others cannot make a difference to it, nor it to them */
	bool waited_in_loop; /* the next thing that it does was made possible by somebody else */
	uint64_t state_past, state_stack; /* state.h */
};

#endif
