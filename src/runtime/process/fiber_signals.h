/*
 * Signals of one thread.
 */
#ifndef HD_RUNTIME_FIBER_SIGNALS_H
#define HD_RUNTIME_FIBER_SIGNALS_H

#include <signal.h>
#include <stdint.h>

struct hd_fiber_signals {
	sigset_t mask;
	uint64_t pending; /* bit n-1: signal n, directed at this thread */
	uint64_t let_in;  /* exploring: those with handlers that it has not blocked all the time */
	stack_t alt;	  /* for handlers with SA_ONSTACK: signal_stacks.c; ss_sp NULL: none */
};

#endif
