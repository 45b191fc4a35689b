/*
 * One segment of a schedule, as the runtime reads it: see segments.h.
 */
#ifndef HD_TRACE_SEGMENT_H
#define HD_TRACE_SEGMENT_H

#include <stdint.h>

/* In thread: not who runs, but which waiter the next notification reaches. */
#define HD_SEGMENT_WAKE (UINT32_C(1) << 31)

struct hd_segment {
	uint32_t thread; /* 0: nobody; time passes */
	uint32_t count;	 /* decisions */
};

#endif
