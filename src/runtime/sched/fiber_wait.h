/*
 * What a fiber waits for: queues.c, sched.c.
 */
#ifndef HD_RUNTIME_FIBER_WAIT_H
#define HD_RUNTIME_FIBER_WAIT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"

struct fiber;

/* Why a blocked fiber runs again. */
enum hd_wake {
	HD_WOKEN,
	HD_TIMEOUT,
	HD_CANCELLED,	/* pthread_cancel, at a cancellation point */
	HD_INTERRUPTED, /* a signal handler ran: EINTR */
};

struct hd_fiber_wait {
	enum hd_thread_state why;
	enum hd_wake result;
	uintptr_t addr;
	uint64_t deadline; /* virtual nanoseconds */
	uint64_t began;
	struct fiber *next, **prev;		/* in a bucket of waiters; prev NULL: in none */
	struct fiber *timed_next, **timed_prev; /* in hd_rt.timed, by deadline */
	uint32_t by;				/* the thread that woke it */
	bool told; /* exploring: what the wait conflicts with is known without it */
	bool cancellable, interruptible;
	pthread_mutex_t *mutex; /* HD_TS_COND: what it needs before it can go on */
	struct pollfd *fds;	/* HD_TS_IO: runnable when poll(2) says so */
	unsigned nfds;
};

#endif
