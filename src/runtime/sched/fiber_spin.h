/*
 * What tells a fiber that spins from one that gets ahead: spin.c.
 */
#ifndef HD_RUNTIME_FIBER_SPIN_H
#define HD_RUNTIME_FIBER_SPIN_H

#include <stdbool.h>
#include <stdint.h>

struct hd_fiber_spin {
	/* What it did itself. */
	uint64_t own_stack; /* changes that it made to its own stack */
	uint64_t own_locks; /* of hd_rt.lock_progress, what is its own doing */
	uint64_t unseen;    /* changes to what neither memory nor its state shows */
	uint64_t
		with; /* exploring: a digest of the operands of its last atomic operation, in registers that calls do not keep */
	/* When it began to spin. */
	uint64_t progress;	/* hd_rt.progress */
	uint64_t locks, stacks; /* the same of what counts only for some loops */
	uint64_t own_before;	/* own_locks */
	/* Since then. */
	uint64_t count, mark, hash;
	uint64_t *seen; /* any_time: hashes of all states; NULL: none yet */
	uint32_t nseen;
	uint32_t held;	/* so few locks it had at some time */
	uint32_t jumps; /* it was let wait that often to see whether time changes anything */
	bool cycle;	/* proved: it will do the same for ever */
	bool locks_too; /* not any_time: it takes locks and gives them back on the way */
	bool tried;	/* it tried to take a lock in vain: a lock given back is news */
	bool timed;	/* what it does depends on the time */
	/* What is no part of its state, or another's. */
	uint64_t looks_at; /* bit n: it has read the stack of a thread with n as number modulo 64 */
	uint64_t time_at[4]; /* where on its stack it keeps times */
	uint32_t ntimes, looks;
};

#endif
