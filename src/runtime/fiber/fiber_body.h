/*
 * What a fiber runs on: a donor's stack and thread control block, its own or borrowed.
 */
#ifndef HD_RUNTIME_FIBER_BODY_H
#define HD_RUNTIME_FIBER_BODY_H

#include <stdbool.h>
#include <stdint.h>

struct fiber;

struct hd_fiber_stack {
	uintptr_t low, top;
};

/* donor.c; the turn and where the donor is parked meanwhile: hand_over.c. */
struct hd_fiber_donor {
	int word; /* futex: 0 starting, 1 parked, 2 may leave */
	int turn; /* futex */
	void *park_sp;
	int pid;    /* the process that the donor is a thread of */
	bool fresh; /* nobody has run on the donor's stack yet, nor was it other memory */
};

/* Light fibers (light.h): the donor is borrowed, from the first switch to it to the end. */
struct hd_fiber_light {
	bool on;	    /* it is one */
	uint8_t nested;	    /* how many light ones its stack goes back through */
	bool own_host;	    /* the host is not from the pool, and stays its owner's */
	struct fiber *host; /* the donor's own record; NULL: has none yet */
	void (*embodied)(struct fiber *f); /* it is about to run for the first time */
	void (*ended)(struct fiber *f);	   /* the last thing it does */
};

/* Thread-local variables whose use matters to somebody; high 0: to nobody. */
struct hd_fiber_tls {
	uintptr_t low, high, thread; /* thread: its pointer */
	uint32_t lender; /* number of the thread that it borrows them from; 0: they are its own */
	/*
	 * Called when it does what only a certain thread would: it uses these variables or learns who it is, or
	 * (@always false) takes a value that another might have got. NULL: nobody wants to know.
	 */
	void (*on_thread)(struct fiber *f, bool always);
};

#endif
