/*
 * How virtual time passes for a fiber: pace.c, stall.c.
 */
#ifndef HD_RUNTIME_FIBER_TIME_H
#define HD_RUNTIME_FIBER_TIME_H

#include <stdint.h>

struct hd_fiber_time {
	uint64_t held_up;   /* nanoseconds that it could have run in and did not: stall.c */
	uint64_t slept;	    /* virtual time of its waits that time has ended: pace.c */
	uint64_t look_step; /* the scheduling point of its last look at a clock */
	uint32_t waits;	    /* that have an end, so far */
};

#endif
