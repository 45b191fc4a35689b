/*
 * The shadow call stack of a fiber: abi_calls.c. It grows downwards, and instrumented code puts
 * calls on it itself (inline_layout.h).
 */
#ifndef HD_RUNTIME_FIBER_CALLS_H
#define HD_RUNTIME_FIBER_CALLS_H

#include <stdint.h>

/* A function that was entered. */
struct hd_call {
	uintptr_t
		sp; /* the stack pointer in its body; HD_CALLS_ROOT: nothing was, this is the end */
	uintptr_t pc;  /* where it returns to */
	uintptr_t fp;  /* its frame pointer, if it has one */
	uint32_t ctx;  /* its context; 0: nobody has asked for it yet */
	uint32_t told; /* where it was when hd_rt_tell_locals() told of it, hashed; 0: it did not */
};

#define HD_CALLS_ROOT  UINTPTR_MAX
#define HD_CALLS_DEPTH 4096u /* deeper calls share the context of this depth */
#define HD_CALLS_BYTES ((HD_CALLS_DEPTH + 1) * sizeof(struct hd_call))

struct hd_fiber_calls {
	struct hd_call *stack; /* NULL: no function has been entered */
	struct hd_call *top,
		*limit; /* while it does not run: fibers may share a thread's variables */
	uint32_t over;	/* entered beyond what the stack holds, by calls of hooks */
	uint32_t root;	/* the context that the first one was called from */
};

#endif
