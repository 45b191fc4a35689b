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

/* Does @a, which is before @b in each round, come to each location before @b does? */
static inline bool hd_loop_in_order(const struct hd_loop_part *a, const struct hd_loop_part *b)
{
	if (a->step != b->step || a->size != b->size)
		return false;
	return !a->step || (a->step > 0 ? a->first >= b->first : a->first <= b->first);
}

/*
 * Can the analysis of tasks be told of the parts as ranges, one after the other? What a step did to a location
 * has an order; so parts that overlap, one of them to write, must come to each location in the order in which
 * they are told.
 */
static inline bool hd_loop_is_ranges(const struct hd_loop_part *parts, unsigned n,
				     unsigned long rounds)
{
	for (unsigned i = 0; i < n; i++) {
		const struct hd_loop_part *p = &parts[i];

		if ((p->size != 4 && p->size != 8) || (p->first & (p->size - 1)))
			return false;
		for (unsigned k = 0; k < i; k++) {
			if ((p->write || parts[k].write) && hd_loop_overlap(&parts[k], p, rounds) &&
			    !hd_loop_in_order(&parts[k], p))
				return false;
		}
	}
	return true;
}

/* As often as this a step has done all to a location that stays the same that can make a difference. */
#define HD_LOOP_ENOUGH 3

typedef void hd_loop_tell_fn(uintptr_t addr, size_t len, unsigned size, bool write, uintptr_t pc);

/* As ranges; what stays at its place is accessed in every round, in turns. */
static inline void hd_loop_tell(const struct hd_loop_part *parts, unsigned n, unsigned long rounds,
				hd_loop_tell_fn *tell)
{
	for (unsigned i = 0; i < n; i++) {
		const struct hd_loop_part *p = &parts[i];

		if (p->step)
			tell(hd_loop_lowest(p, rounds), hd_loop_length(p, rounds), p->size,
			     p->write, p->pc);
	}
	for (unsigned round = 0; round < HD_LOOP_ENOUGH; round++) {
		for (unsigned i = 0; i < n; i++) {
			const struct hd_loop_part *p = &parts[i];

			if (!p->step)
				tell(p->first, p->size, p->size, p->write, p->pc);
		}
	}
}

#endif
