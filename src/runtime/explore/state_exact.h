/*
 * States in full, beside their hashes (state.h): everything that a hash is made of, in one order, as
 * eight-byte words. With --match exact the explorer compares these, so that it is known that no
 * two different states were taken for one.
 *
 * The locks' own words are among them, which no hash looks at: who has a lock should follow from
 * the rest.
 */
#ifndef HD_RUNTIME_STATE_EXACT_H
#define HD_RUNTIME_STATE_EXACT_H

#include "runtime/rt.h"

extern bool hd_rt_exact; /* states are wanted in full */

/* The current fiber was told or has read @what. */
void hd_rt_exact_note(uint64_t what);
/* Something is kept outside of memory: see hd_rt_state_event. */
void hd_rt_exact_keep(uint64_t tag, uint64_t addr, uint64_t value);
/* The same, in place of what was there before. */
void hd_rt_exact_change(uint64_t tag, uint64_t addr, uint64_t value);
/* The current fiber's stack is no longer its own. */
void hd_rt_exact_leave_stack(void);
/* A lock of kind @mode is used. */
void hd_rt_exact_lock(uintptr_t addr, uint16_t mode);

/* Write the state to @out, @room words; how many there are, 0: too many. */
size_t hd_rt_exact_write(uint64_t *out, size_t room);

/* state.c: tell @fn of every word of memory that the state has, in any order. */
void hd_rt_state_words(void (*fn)(uintptr_t addr, uint64_t value, uint32_t owner));

#endif
