/*
 * Executions for the explorer: what happens is told to it operation by operation, and it
 * decides who runs.
 */
#ifndef HD_RUNTIME_EXPLORE_H
#define HD_RUNTIME_EXPLORE_H

#include "trace/execution.h"
#include "runtime/rt.h"

/* Before main: wait for requests. Returns once for each, in a copy of the process. */
void hd_rt_explore_serve(void);

/* A donor that was made ahead, for @f. False: there is none with these attributes. */
bool hd_rt_spare_take(struct fiber *f, const pthread_attr_t *attr);

/* From now on this execution depends on more than its memory. */
void hd_rt_explore_cannot_stay(void);

/* The number of an object that is no memory of the program: what makes it one is at @addr. */
uint64_t hd_rt_explore_object(uintptr_t addr);

/* An event of the current fiber. Accesses and atomics come with their size, others with 0. */
void hd_rt_explore_event(enum hd_op op, uintptr_t addr, uint64_t value, uint32_t size,
			 uint16_t arg);

/* An atomic operation that is about to happen: decisions that belong to it follow, then its event. */
void hd_rt_explore_soon(enum hd_op op, uintptr_t addr, uint32_t size);

/*
 * Of that one, what was decided: enum hd_xweak, and the operation that it reads from (as hd_xop has it). Returns the number
 * of the operation, from 1; 0: they are not told so.
 */
uint32_t hd_rt_explore_chosen(unsigned what, uint32_t source);
/* Only what was written by this operation or later is to be read by the current fiber next; 0: anything. */
uint32_t hd_rt_explore_since(void);
/* Which of the @n possibilities of the choice to come need not be tried; bit 0 is the first. All: it ends here. */
void hd_rt_explore_tried(uint64_t which, unsigned n);
/*
 * None of them has to be tried: the current fiber, which was about to read there, goes on when somebody has written something
 * else, and the others as if it had not been chosen.
 */
void hd_rt_explore_put_off(uintptr_t addr, unsigned size, bool writes);

/*
 * A scheduling point before an operation on a variable (await.c); that it was a compare-and-swap that failed; that it has
 * changed it; that the fiber accesses other memory, and that it has come to the end of its function.
 */
void hd_rt_explore_point_at(uintptr_t addr, unsigned size, bool reads, bool writes);
/* The same before a try to take @lock, which fails as long as *@word is not 0. */
void hd_rt_explore_point_to_try(uintptr_t lock, const int *word);
void hd_rt_explore_failed(bool acquires);
void hd_rt_explore_written(void);
/* What it does next is no part of a loop that only looks. */
void hd_rt_explore_changes(void);
void hd_rt_explore_besides(uintptr_t addr, uint64_t size, bool write);
void hd_rt_explore_thread_ends(uintptr_t result);

/* Would somebody wait at @addr by now, had an explorer let it? */
bool hd_rt_explore_stands_before(enum hd_thread_state why, uintptr_t addr);
/* The current fiber is about to wait at @addr. */
void hd_rt_explore_block(enum hd_thread_state why, uintptr_t addr);
/* What the program assumes does not hold in this execution. */
void hd_rt_explore_assumed(void);
/* The execution has come to a limit of the runtime's. */
void hd_rt_explore_cut(void) __attribute__((noreturn));
/* What can come of this is tried elsewhere. */
void hd_rt_explore_redundant(void) __attribute__((noreturn));
/* Is it one of those that are made to see what a thread would come to? That one goes on, then. */
bool hd_rt_explore_is_tried(void);
/* Something was learnt that makes this execution another one: it is to be asked for again. */
void hd_rt_explore_again(void) __attribute__((noreturn));
/* The current fiber lets @f go on. */
void hd_rt_explore_wake(const struct fiber *f);
/* The current fiber goes on after it waited; @woken: somebody let it, or its time was up. */
void hd_rt_explore_resume(bool woken, enum hd_wake result);

/*
 * What the program keeps at @addr outside of its memory (a future's value, a mailbox) is changed;
 * the values are for the state. Does nothing unless exploring, like the next ones.
 */
void hd_rt_explore_change(uintptr_t addr, uint64_t was, uint64_t is);
/*
 * The current fiber comes to @addr: with others of these in any order. Or it takes its turn there, in
 * an order with everybody; @waited: it could not before others had been there.
 */
void hd_rt_explore_come(uintptr_t addr);
void hd_rt_explore_turn(uintptr_t addr, bool waited);
/* The current fiber does something at @addr, in an order with everybody. */
void hd_rt_explore_touch(uintptr_t addr);
/*
 * The current fiber arrives at the barrier at @addr; @last: all may leave now, @seen: and it gets to know
 * whether it was the last. Then it leaves, with the same number of the round.
 */
void hd_rt_explore_arrive(uintptr_t addr, uint32_t round, bool last, bool seen);
void hd_rt_explore_leave(uintptr_t addr, uint32_t round);
/* The event that comes next is an addition whose result nobody uses. */
void hd_rt_explore_adds(void);
/* The event that comes next is a wait for a semaphore that the current fiber had not to begin: it stood before it. */
void hd_rt_explore_takes(void);
/* The current fiber looks at @addr how far others have come, and does not wait for them. */
void hd_rt_explore_peek(uintptr_t addr);
/* The program has such things (enum hd_xuse). */
void hd_rt_explore_uses(unsigned what);

/* A fault: @site tells it from others of its kind. */
void hd_rt_explore_fault(enum hd_kind kind, uint64_t site);
/* The same of two places, in whatever order. */
void hd_rt_explore_fault_between(enum hd_kind kind, uintptr_t a, uintptr_t b);
/* The program ends. */
void hd_rt_explore_end(void);

/*
 * outcome.c, with output_points: the current fiber is about to print, which is a step of its own; the program ends
 * and prints what it has kept back; variables that are to be told are copied.
 */
void hd_rt_output_point(int fd);
void hd_rt_output_flush(void);
void hd_rt_explore_observe(void);

#endif
