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
 * Rounds of several looks (test and test-and-set, two flags, compare-and-swap with a load before it) may be in vain whatever
 * was found, as others may write in between: nothing says before the first look how the round will end. But a
 * round that has led the thread back to the same state, and changed nothing, may be left out of the
 * execution: what the others did is the same without it. So with dpor a thread that has made such a round does
 * nothing more in this execution, which is only made for the sake of others. That is sound because every execution has one
 * without such rounds that ends alike, and dpor loses none of those: it explores a program whose threads stop there.
 * Whether one stops follows from what it has read, so it is the same in executions that differ in the order of
 * independent steps. Where nobody else can go on, it depends on whether the looks would find the same again: if
 * so, those who stopped do go on, and it is a livelock; else the execution is redundant.
 *
 * A read-modify-write after a look at the same variable (the second half of test and test-and-set) need not come where the
 * look would find the same value in its place, though others have written meanwhile: the look may be put off until
 * then, which changes nothing for anybody. The read-modify-write must acquire if the look does: else putting it off might
 * order what races.
 *
 * Where a compare-and-swap fails, the thread goes on with the value that it has found: it is not in the same state, and
 * yet it may be where it would be, had an earlier look of this round been made in the place of the last one, and
 * found that. Then the looks in between may be left out: again an execution that ends alike has fewer. Whether
 * it is so is found out by an execution that is made for that, in which the earlier look finds this value
 * (struct hd_xsupposed): the thread runs up to the next thing that others may notice, and the states are compared. As above, the
 * order in the place of the last look must acquire if the earlier look does. The same goes for loops whose rounds leave
 * something behind that nobody reads again, as what is not optimised does: a copy of what was found, in a register or on
 * the stack.
 *
 * A state is the stack, the registers that calls keep, and the operands of the operation that comes next.
 *
 * A loop that counts is never in the same state. Those are left to sched/spin.c. Where a memory model says what is found, a
 * round that has led the thread back is left out in the same way, however many looks it has; nothing else of this is done.
 */
#ifndef HD_RUNTIME_EXPLORE_AWAIT_H
#define HD_RUNTIME_EXPLORE_AWAIT_H

#include "common/hash.h"
#include "explore.h"

/* Would @f, which stands before a look at a variable, only come back to where it is? */
bool hd_rt_await_in_vain(const struct fiber *f);

/*
 * Is @f, which stands before a look, not to go on with it: it has made a round in vain, or should have made
 * its last look later?
 */
bool hd_rt_await_stops(const struct fiber *f);
/* Does @f stand before a look, or a read of which it is known that it stops there? */
bool hd_rt_await_stands(const struct fiber *f);
/* Nobody else can go on. Would it find something else now, in the looks that should not have been made? */
bool hd_rt_await_would_differ(const struct fiber *f);
/*
 * Is it known, and only so, that an earlier look of its round, made now, would lead to the same as the one that @f
 * stands before?
 */
bool hd_rt_await_is_known_late(const struct fiber *f);

/* The thread has done what it does with the value that was supposed: all of that is forgotten. */
void __attribute__((noreturn)) hd_rt_suppose_end(void);

/* Memory at @addr is given back, and may be gone: who stands before a look at it is to find that out itself. */
void hd_rt_await_freed(uintptr_t addr, uint64_t size);

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
