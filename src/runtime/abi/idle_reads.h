/*
 * Reads by whose value the program decides nothing, by their place in the code: the compiler plugin
 * has calls of their own for them (idle_read in access_hooks.h).
 */
#ifndef HD_RUNTIME_IDLE_READS_H
#define HD_RUNTIME_IDLE_READS_H

#include <stdbool.h>
#include <stdint.h>

/* One that is not remembered, for want of room, counts as deciding something. */
#define HD_IDLE_READS 32768u
extern uintptr_t hd_idle_reads[HD_IDLE_READS];

static inline uintptr_t *hd_idle_read_at(uintptr_t pc)
{
	return &hd_idle_reads[(pc ^ pc >> 15) & (HD_IDLE_READS - 1)];
}

static inline void hd_idle_read_note(uintptr_t pc)
{
	uintptr_t *at = hd_idle_read_at(pc);

	if (__builtin_expect(!__atomic_load_n(at, __ATOMIC_RELAXED), 0))
		__atomic_store_n(at, pc, __ATOMIC_RELAXED);
}

static inline bool hd_is_idle_read(uintptr_t pc)
{
	return __atomic_load_n(hd_idle_read_at(pc), __ATOMIC_RELAXED) == pc;
}

#endif
