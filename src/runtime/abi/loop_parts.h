/*
 * What the compiler plugin tells of a loop whose accesses all lie side by side, or on each other: its
 * parts, in the order in which they come in a round.
 */
#ifndef HD_RUNTIME_LOOP_PARTS_H
#define HD_RUNTIME_LOOP_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/ring.h"

struct hd_loop_part {
	uintptr_t first; /* of the first round */
	long step;
	unsigned size;
	bool write;
	uintptr_t pc;
};

/* @kind: as heddle_inline1_part() gets it. */
static inline struct hd_loop_part hd_loop_part(uintptr_t first, long step, unsigned kind,
					       uintptr_t pc)
{
	return (struct hd_loop_part){
		.first = first, .step = step, .size = kind & 255, .write = kind & 256, .pc = pc
	};
}

static inline uintptr_t hd_loop_lowest(const struct hd_loop_part *p, unsigned long rounds)
{
	return p->step < 0 ? p->first - (rounds - 1) * p->size : p->first;
}

static inline size_t hd_loop_length(const struct hd_loop_part *p, unsigned long rounds)
{
	return p->step ? rounds * p->size : p->size;
}

static inline bool hd_loop_overlap(const struct hd_loop_part *a, const struct hd_loop_part *b,
				   unsigned long rounds)
{
	uintptr_t low_a = hd_loop_lowest(a, rounds), low_b = hd_loop_lowest(b, rounds);

	return low_a < low_b + hd_loop_length(b, rounds) &&
	       low_b < low_a + hd_loop_length(a, rounds);
}

#endif
