/*
 * The shadow call stack of a fiber: abi_calls.c.
 */
#ifndef HD_RUNTIME_FIBER_CALLS_H
#define HD_RUNTIME_FIBER_CALLS_H

#include <stdint.h>

struct hd_call {
	uintptr_t sp;
	uint32_t ctx;
	uint16_t fp;   /* words from sp to the caller's frame pointer; 0: it has none */
	uint16_t told; /* where it was when hd_rt_tell_locals() told of it, hashed; 0: it did not */
};

struct hd_fiber_calls {
	struct hd_call *stack; /* NULL: no function has been entered */
	uint32_t depth, over;  /* over: entered beyond what the stack holds */
};

#endif
