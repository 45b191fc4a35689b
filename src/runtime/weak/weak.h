/*
 * --model c11 and tso: operations as the memory model has them (weak_model.h). Which write a load reads
 * and where a store goes is a decision like who runs next.
 *
 * Memory always holds the last value in modification order, so plain accesses, system calls
 * and code without hooks see that. But under tso, the program makes plain and volatile accesses itself: an
 * older value is put into memory for a load, and taken out again when the fiber comes to its next hook. A
 * store that others come after is replaced by theirs then. Nobody else runs in between.
 */
#ifndef HD_RUNTIME_WEAK_H
#define HD_RUNTIME_WEAK_H

#include "runtime/rt.h"

static inline bool hd_rt_is_weak(void)
{
	return unlikely(hd_rt.opt.model != HD_MODEL_SC);
}

static inline bool hd_rt_is_tso(void)
{
	return unlikely(hd_rt.opt.model == HD_MODEL_TSO);
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
void hd_rt_weak_wide(uintptr_t addr, size_t size, bool write);

/* tso: the current fiber is about to make a plain or volatile access, right after its hook. */
void hd_rt_weak_access(uintptr_t addr, size_t size, bool write);
/* The same of many bytes at once: in order with everything. */
void hd_rt_weak_range(uintptr_t addr, size_t len, bool write);
/* tso: is it memory that atomic operations have been used on? */
bool hd_rt_weak_is_atomic(uintptr_t addr);
/* An event that may order threads, or give memory back. */
void hd_rt_weak_event(enum hd_op op, uintptr_t addr, uint64_t value, uint16_t arg);

/*
 * The current fiber has read and changed nothing, as in a loop that waits: as hd_rt_spin(), but it
 * does not count as going round for ever while there is something newer to read.
 */
void hd_rt_weak_spin(void);
/*
 * @f has been round a loop without effect: has it read an older value on the way, or failed to exchange for no reason?
 * Then it is not to be the same once more, as what stays written is seen some day.
 */
bool hd_rt_weak_reads_on(struct fiber *f);

/* Of the execution so far; for states. */
uint64_t hd_rt_weak_state(void);

#endif
