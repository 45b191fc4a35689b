/*
 * What the memory model keeps of a fiber: weak.c.
 */
#ifndef HD_RUNTIME_FIBER_WEAK_H
#define HD_RUNTIME_FIBER_WEAK_H

#include <stdbool.h>
#include <stdint.h>

struct hd_fiber_weak {
	uint32_t nth; /* atomic operations so far that may have a choice */
	uintptr_t
		stale_at; /* since it began to spin it has read an older value there; 0: nowhere */
	bool several;	  /* ... and elsewhere */
	bool stale;	  /* its last read was one */
	bool fresh;	  /* it has been round a loop of them: the next has to be newer */
};

#endif
