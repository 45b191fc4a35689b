/*
 * Objects in memory that processes share: another process may take them, give them back or wait for them
 * at any moment. So they change by atomic instructions, nobody knows who could help, and a wait for one is
 * a look every millisecond, never part of a deadlock.
 */
#ifndef HD_RUNTIME_BETWEEN_H
#define HD_RUNTIME_BETWEEN_H

#include "runtime/process/relatives.h"
#include "runtime/rt.h"

bool hd_rt_is_shared(uintptr_t addr);

/* May a relative of this process use the object at @addr? */
static inline bool hd_rt_between(const void *object)
{
	return unlikely(hd_rt_has_relatives) && hd_rt_is_shared((uintptr_t)object);
}

/* Let a moment pass before the next look at @object. */
void hd_rt_between_pause(const void *object);
/*
 * Nobody can run, or only those who go round in loops: does somebody wait for what another process may do, or look
 * at memory that may be shared with it? They look again then.
 */
bool hd_rt_between_waits(void);

/* Who the current thread is to other processes, where 0 is nobody. */
static inline int hd_rt_between_self(void)
{
	return hd_rt.cur->tid | 0x40000000; /* never a thread number of ours */
}

static inline bool hd_rt_between_swap(void *word, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n((uint32_t *)word, &from, to, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}

#endif
