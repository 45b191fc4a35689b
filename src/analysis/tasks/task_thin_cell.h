/*
 * How a thin location's cell is made up: its lock, shape and entries; for task_thin.c.
 */
#ifndef HD_ANALYSIS_TASK_THIN_CELL_H
#define HD_ANALYSIS_TASK_THIN_CELL_H

#include "task_thin.h"

#define BUSY	  (1ull << 32)
#define SHAPE	  (15ull << 28)
#define OF_CELL	  (BUSY | SHAPE) /* what the first entry has besides */
#define ELSEWHERE (15ull << 28)	 /* the last entry is the number of a struct hd_thin_more, << 32 */
#define ENTRY	  (~OF_CELL)
#define DONE	  (HD_THIN_DONE_READ | HD_THIN_DONE_WRITE)
#define ENTRIES	  (HD_THIN_INLINE - 1 + HD_THIN_MORE)

/* What most accesses that are not seen go through is made for cells without more entries. */
#define HOT  static inline __attribute__((always_inline))
#define COLD static __attribute__((noinline, cold))

HOT uint64_t look(const uint64_t *entry)
{
	return __atomic_load_n(entry, __ATOMIC_RELAXED);
}

HOT uint32_t shape_of(const struct hd_thin_cell *c)
{
	return (uint32_t)look(&c->entries[0]) >> 28;
}

HOT void set_shape(struct hd_thin_cell *c, uint32_t shape)
{
	__atomic_store_n(&c->entries[0], (look(&c->entries[0]) & ~SHAPE) | (uint64_t)shape << 28,
			 __ATOMIC_RELAXED);
}

HOT void enter(struct hd_thin_cell *c)
{
	while (__atomic_fetch_or(&c->entries[0], BUSY, __ATOMIC_ACQUIRE) & BUSY)
		__builtin_ia32_pause();
}

HOT void leave(struct hd_thin_cell *c)
{
	__atomic_store_n(&c->entries[0], look(&c->entries[0]) & ~BUSY, __ATOMIC_RELEASE);
}

HOT struct hd_thin_more *more_of(const struct hd_thin *t, const struct hd_thin_cell *c)
{
	uint64_t last = __atomic_load_n(&c->entries[HD_THIN_INLINE - 1], __ATOMIC_ACQUIRE);

	return (last & SHAPE) == ELSEWHERE ? &t->mores[last >> 32] : NULL;
}

HOT unsigned count(const struct hd_thin_more *more)
{
	return more ? ENTRIES : HD_THIN_INLINE;
}

HOT uint64_t *entry_at(struct hd_thin_cell *c, struct hd_thin_more *more, unsigned i)
{
	return !more || i < HD_THIN_INLINE - 1 ? &c->entries[i]
					       : &more->entries[i - (HD_THIN_INLINE - 1)];
}

HOT void set_entry(uint64_t *at, bool first, uint64_t entry)
{
	__atomic_store_n(at, first ? (look(at) & OF_CELL) | entry : entry, __ATOMIC_RELAXED);
}

HOT uint32_t doing_of(uint64_t entry)
{
	return (uint32_t)((entry & ENTRY) >> 32);
}

HOT uint32_t kinds_of(uint32_t doing)
{
	return doing >> HD_THIN_KIND_AT & HD_THIN_KINDS;
}

#endif
