/* What a fiber has for tests in line: see inline_check.h. */
#ifndef HD_RUNTIME_FIBER_INLINE_H
#define HD_RUNTIME_FIBER_INLINE_H

#include <stdint.h>

struct hd_fiber_inline {
	uint64_t time, era; /* that its number is for */
	uint32_t number;
};

#endif
