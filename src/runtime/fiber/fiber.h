/*
 * The switch between fibers, and the donors that lend them a thread's identity.
 *
 * A donor is a real pthread that parks as soon as it has started. The fiber runs
 * on the donor's stack, below the parked frame, and with the donor's thread
 * control block, so thread-local variables, errno, malloc's caches, stdio's lock
 * owners and pthread_self() are those of a real thread, with no help from glibc.
 */
#ifndef HD_RUNTIME_FIBER_H
#define HD_RUNTIME_FIBER_H

#include "runtime/rt.h"
#include "stack_switch.h"

/* Leave the current stack (saved in from->sp) for @to's. */
void hd_rt_switch_to(struct fiber *from, struct fiber *to);
/* What tells a thread's own variables from those of others: that of a fiber's donor. */
void hd_rt_set_thread_pointer(uintptr_t fs);

/* Prepare @f so that the first switch to it calls @entry on the stack below @top. */
void hd_rt_fiber_prepare(struct fiber *f, uintptr_t top, void (*entry)(void));

/* Note how the thread pointer is set on this machine; the main thread's goes into @f. */
void hd_rt_fiber_init(struct fiber *main_fiber);

/* Start a donor for @f. Returns 0 or what pthread_create returned. */
int hd_rt_donor_start(struct fiber *f, const pthread_attr_t *attr);
/* The same with attributes that are taken as they are. */
int hd_rt_donor_make(struct fiber *f, const pthread_attr_t *attr);
/* @f never runs again: end its donor and wait until it is gone. */
void hd_rt_donor_end(struct fiber *f);

#endif
