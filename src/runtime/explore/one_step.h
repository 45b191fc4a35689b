/*
 * A look at a variable and the read-modify-write of it that follows (test and test-and-set; load, then compare-and-swap): one
 * step for the explorer, where nothing is lost by that.
 *
 * Others might change the variable between the two. If they put back what it was, the look may as well be made later, just
 * before the second operation (await.h). If that one finds another value, it is to be seen whether the thread
 * would be in the same state, had the look found this value: then the execution in which the look was made later, and
 * the second operation not, ends alike. So if that holds for every value that the variable may have there, no
 * execution is missed if nobody comes between.
 *
 * Whether it holds for a value is found out by two executions that are made for it: the look finds it in the one, the second
 * operation in the other, which must change nothing and acquire as much, and the states that these lead to are compared. If both
 * come to another look at the variable, at the same place in the code, they may be in different states, if every value that
 * this look may find leads both on to the same, or to such looks again (a bisimulation): so something may be left behind that
 * nobody reads. Which
 * values there are is not known beforehand. The variable is looked at wherever something is decided, from the first atomic
 * operation on it. A value that it was not known to have makes the exploration begin anew, with what is known by then. In
 * the end all values were known from the beginning. That these are all: take an execution where somebody came
 * between, and the first second operation to find another value in it. The execution up to that, without the look of its
 * thread, is one that was explored, but for the order of what is independent; so that value was in the variable then. So it is
 * known, and the two operations can be left out, or the look be made later; and so on with the next one.
 *
 * The same is asked where a look in vain leads back to itself, but to another state, as the first one in a loop may.
 *
 * What comes of a value must not depend on anything else that others change. Where they write to variables on the stack of
 * a thread, it does, if the thread reads them there: so these count as all other memory does. That somebody writes to a
 * stack, after such executions were compared, makes the exploration begin anew, too.
 *
 * Variables with more than a few values are left alone, and so are the operations for which it does not hold.
 */
#ifndef HD_RUNTIME_EXPLORE_ONE_STEP_H
#define HD_RUNTIME_EXPLORE_ONE_STEP_H

#include "runtime/rt.h"

/*
 * The current fiber is about to change what it has just looked at, @l, in @state. Is that a part of the same step? It does not
 * return where that is to be found out first.
 */
bool hd_rt_goes_together(const struct hd_fiber_look *l, uint64_t state);

/*
 * The current fiber is before the same look as @l was, in another @state. Is it one that makes no difference? Then @l was in
 * vain; it does not return.
 */
void hd_rt_looks_idly(const struct hd_fiber_look *l, uint64_t state);
/* Is that known of @l, which stands before its look? */
bool hd_rt_is_idle(const struct hd_fiber_look *l);

/* An atomic operation comes to @addr; memory there is given back. */
void hd_rt_together_touched(uintptr_t addr, uint64_t size);
void hd_rt_together_freed(uintptr_t addr, uint64_t size);

/* The current fiber writes there: if that is on another one's stack, what is read there is no part of a state. */
void hd_rt_together_writes(uintptr_t addr);
/* What looks of the current fiber lead to is about to be compared. */
void hd_rt_together_compares(void);
/* Does it count as shared memory, what @f reads on its own stack? */
bool hd_rt_together_shares_stack(const struct fiber *f);

/* A decision is about to be made: has a variable another value than those that are known? */
void hd_rt_together_watch(void);

/*
 * In an execution that was made to find out: what the supposed look @l found has led to @next. Or it has led to another look
 * at the same variable, in @state; true: that one is to find something, too.
 */
void hd_rt_together_tried(const struct hd_fiber_look *l, uint64_t next);
bool hd_rt_together_looks_again(const struct hd_fiber_look *l, uint64_t state);

#endif
