/*
 * --model c11: atomic operations as the memory model has them (weak_model.h). Which write a load reads
 * and where a store goes is a decision like who runs next.
 *
 * Memory always holds the last value in modification order, so plain accesses, system calls
 * and code without hooks see that.
 */
#ifndef HD_RUNTIME_WEAK_H
#define HD_RUNTIME_WEAK_H

#include "runtime/rt.h"

static inline bool hd_rt_is_weak(void)
{
	return unlikely(hd_rt.opt.model == HD_MODEL_C11);
}

/* Atomic operations of the current fiber, of at most eight bytes. What they return is what was read. */
uint64_t hd_rt_weak_load(uintptr_t addr, unsigned size, int order);
void hd_rt_weak_store(uintptr_t addr, unsigned size, uint64_t value, int order);
/* A read-modify-write: what it reads, then what it writes. Nothing comes in between. */
uint64_t hd_rt_weak_take(uintptr_t addr, unsigned size, int order);
void hd_rt_weak_put(uint64_t value);
/* True: *@expected was there, and is @desired now; else it is what was read. */
bool hd_rt_weak_swap(uintptr_t addr, unsigned size, uint64_t *expected, uint64_t desired, int order,
		     int fail_order, bool may_fail);
void hd_rt_weak_fence(int order);
/* One that the model does not have: more than eight bytes. It is sequentially consistent. */
void hd_rt_weak_wide(uintptr_t addr, unsigned size, bool write);

/* An event that may order threads, or give memory back. */
void hd_rt_weak_event(enum hd_op op, uintptr_t addr, uint64_t value, uint16_t arg);

/*
 * The current fiber has read and changed nothing, as in a loop that waits: as hd_rt_spin(), but it
 * does not count as going round for ever while there is something newer to read.
 */
void hd_rt_weak_spin(void);

/* Of the execution so far; for states. */
uint64_t hd_rt_weak_state(void);

#endif
