/*
 * Objects that order threads: condition variables, semaphores, barriers, atomic variables.
 */
#ifndef CR_ORDER_H
#define CR_ORDER_H

#include "cr.h"

/* The running thread gives what it knows to the object; or takes what was given. */
void cr_release(Addr object);
void cr_acquire(Addr object);
Bool cr_acquires(Addr object); /* would it change anything? */
void cr_barrier_init(Addr barrier, UInt count);
void cr_barrier_enter(Addr barrier);
void cr_barrier_leave(Addr barrier);

/* The memory has a new life: so have objects there. */
void cr_order_forget(Addr granule);

struct cr_order_stats {
	UInt live, most;
};

extern struct cr_order_stats cr_order_stats;

#endif
