/*
 * A hash of the program's state, kept up to date as it changes, so that equal states
 * of different executions are recognised without a snapshot of either.
 *
 * A thread is deterministic: what it will do follows from where it started and from all that it
 * has read and been told since. So the state is
 * - for every live thread, a hash of what it did and read, in order;
 * - the contents of all memory that was written, but for stacks of threads that have ended and
 *   blocks that were freed;
 * - what is kept for the program outside of its memory: futures, phasers, time.
 * Who holds a lock follows from what the holder did, unless it has ended with it, which is kept; how much a semaphore has is in memory.
 *
 * What is not seen: memory that only code without instrumentation wrote, and the world.
 */
#ifndef HD_RUNTIME_STATE_H
#define HD_RUNTIME_STATE_H

#include "runtime/rt.h"

/* From now on. */
void hd_rt_state_start(void);

/* The current fiber is about to read or write. */
void hd_rt_state_access(uintptr_t addr, uint64_t len, bool write);
/* It has done something else; accesses are ignored here. */
void hd_rt_state_event(enum hd_op op, uintptr_t addr, uint64_t value, uint32_t size, uint16_t arg);

/* What is kept at @addr for the program, outside of its memory, has changed. */
void hd_rt_state_change(uintptr_t addr, uint64_t was, uint64_t is);

/* It has come to a scheduling point: elsewhere than before, even if it has read nothing. */
void hd_rt_state_point(void);

/* Take in the last write; before another fiber runs. */
void hd_rt_state_settle(void);

/* Never 0. */
uint64_t hd_rt_state(void);

#endif
