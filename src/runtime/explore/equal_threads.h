/*
 * Threads that nobody can tell apart when they begin: one thread made them one after the other, with the same function,
 * argument and attributes, and did nothing in between that others know of. An explorer may exchange them
 * (explore/symmetry.h), as long as the rest of the program does not tell them apart:
 *
 * - Nobody asks for the number or handle of one of them, or does anything by its handle but wait for its end.
 * - Who made them waits for all of them one after the other, wants no result, and does nothing in between that others
 *   know of.
 *
 * If one of this does not hold, HD_X_USES_TOLD_APART says so. Plain accesses between two of these steps are seen by the race
 * detector: to it all of them begin with the first one, and none has ended before the last was waited for. So it may tell of a
 * race that there is not, and misses none. Where the stack of a thread is, and what follows from that, is not looked at.
 */
#ifndef HD_RUNTIME_EQUAL_THREADS_H
#define HD_RUNTIME_EQUAL_THREADS_H

#include "runtime/rt.h"
#include "trace/execution.h"

/* The current fiber has made @f, and tells so next. */
void hd_rt_equal_created(struct fiber *f, const pthread_attr_t *attr);
/* The first of the threads that @f is like; 0: there is none. */
uint32_t hd_rt_equal_first(uint32_t thread);
/* The current fiber begins. */
void hd_rt_equal_begins(void);
/* @thread does something that others know of. */
void hd_rt_equal_does(uint32_t thread, enum hd_xop_kind kind, uint64_t object);
/* The current fiber is about to wait for the end of @pt. */
void hd_rt_equal_comes_to_join(pthread_t pt);
/* The current fiber has waited for @f, and wants the result or not. */
void hd_rt_equal_joined(const struct fiber *f, bool result);
/* Somebody knows @f by its number or handle. */
void hd_rt_equal_told_apart(const struct fiber *f);
/* The execution is over; @by_program: as the process ends. */
void hd_rt_equal_at_end(bool by_program);
/* Who made @thread, as the race detector is to see it: the first that it is like; 0: who has made it. */
uint32_t hd_rt_equal_maker(uint32_t thread);
/* Is the end of @thread no news yet to the race detector? */
bool hd_rt_equal_holds_back(uint32_t thread);
/* Those whose end is news now, one after the other; 0: no more. */
uint32_t hd_rt_equal_next_ended(void);

#endif
