/*
 * Loops that wait for a variable, as the explorer sees them: an operation in one is not possible as long as
 * it would only lead back to where the thread is.
 *
 * A round of such a loop is one look at a variable and nothing else that anybody could notice. What comes of it
 * is a function of the thread's stack and registers, and of what it finds. So if it came back to
 * the same state once, it always does when it finds the same. The execution in which such a state is met for
 * the first time is made again, so that no execution has a round in vain. The explorer gets to know it with the
 * answer, and tells all executions that it asks for later: which these are depends on the order of its
 * requests alone.
 *
 * A round may also read a few plain variables. What it does is then a function of these values, too. The thread has
 * read them on its way to the look, so whoever changes one of them meanwhile races with it, unless it does so before it
 * writes the variable that is looked at: so it is that write that ends the wait, if anything does.
 *
 * A loop that counts is never in the same state, nor is one that looks at more than one variable between its
 * rounds: others might change both in between. Those are left to sched/spin.c, and so are all where the memory
 * model says what is found.
 */
#ifndef HD_RUNTIME_EXPLORE_AWAIT_H
#define HD_RUNTIME_EXPLORE_AWAIT_H

#include "common/hash.h"
#include "explore.h"

/* Would @f, which stands before a look at a variable, only come back to where it is? */
bool hd_rt_await_in_vain(const struct fiber *f);

/* @f runs from now on: what it looks at besides is to be seen, whatever others have left. */
void hd_rt_await_goes_on(const struct fiber *f);

/* The operation that @f stands before. */
struct hd_xop hd_rt_await_op(const struct fiber *f);

/* The bit that stands for a variable, in struct hd_xlog and struct hd_xrequest. */
static inline uint64_t hd_rt_await_bit(uintptr_t addr)
{
	return UINT64_C(1) << hd_hash_place(addr, 63);
}

#endif
