/*
 * The other way to run fibers: each on the kernel thread of its donor, which hands over to the
 * next by a futex. It is a hundred times slower and the same in everything else. A debugger then
 * sees every thread of the program as a thread, with its stack.
 */
#ifndef HD_RUNTIME_HAND_OVER_H
#define HD_RUNTIME_HAND_OVER_H

#include "runtime/rt.h"

/* On a donor: wait for a fiber, run it; returns when the donor is to end. */
void hd_rt_carry(struct fiber *lane);
/* Let @to run on its kernel thread; returns when @from runs again. */
void hd_rt_hand_over(struct fiber *from, struct fiber *to);
/* The fiber of @lane never runs again: its kernel thread leaves hd_rt_carry(). */
void hd_rt_hand_over_end(struct fiber *lane);
/* Call the current kernel thread what reports call @f, for debuggers to show. */
void hd_rt_hand_over_name(const struct fiber *f);

#endif
