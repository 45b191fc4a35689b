/*
 * The thread that a fiber stands for: its life, what is specific to it, and its end.
 */
#ifndef HD_RUNTIME_FIBER_THREAD_H
#define HD_RUNTIME_FIBER_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct fiber;

/* thread.c */
struct hd_fiber_thread {
	pthread_t pt;
	struct fiber *next; /* in a bucket of the index by pt */
	void *(*start)(void *);
	void *arg, *ret;
	bool detached, joined, started;
	struct fiber *joiner;
	pthread_t joins; /* it stands before the join of that thread, without a limit; 0: not */
	char name[16];
};

/* pthread_cancel: thread_exit.c */
struct hd_fiber_cancel {
	bool pending, disabled, async;
};

/* What runs when it ends: thread_exit.c */
struct hd_fiber_end {
	bool begun;
	struct hd_cleanup *cleanups;
	struct hd_tls_dtor *tls_dtors;
};

/* Values by key: tsd.c */
struct hd_fiber_tsd {
	void **values;
	uint32_t n;
};

#endif
