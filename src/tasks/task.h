/*
 * Tasks: what the files of this folder share.
 *
 * On fibers the runtime's ground rules (runtime/rt.h) hold here too: one fiber runs at a time, so
 * nothing needs a lock; a switch happens only in hd_carrier_point() and hd_carrier_block(), so what
 * lies between two of them is atomic. Every exported call begins with hd_task_enter(), has its
 * scheduling point before it touches anything, and records what it did. On workers the same holds
 * for what lies behind HD_CALL (carrier.h).
 *
 * Outside of the runtime's control (a foreign kernel thread, exit handlers, a forked child) there
 * is nobody to schedule: a task is then a function call, and the rest does nothing.
 */
#ifndef HD_TASKS_TASK_H
#define HD_TASKS_TASK_H

#include "carrier.h"
#include "heddle/hj.h"

struct hd_task;
struct hd_registration;

/* A finish; it outlives its scope while tasks of it run. */
struct hd_finish {
	struct hd_finish *outer; /* the one around it, of this task or another; NULL: a launch's */
	struct hd_task *owner;	 /* who waits at the end; NULL: it was ended without waiting */
	uint64_t number;
	uint32_t pending; /* tasks that have not ended */
	uint32_t *ended;  /* numbers of those that have: to be joined */
	uint32_t nended, cap_ended;
	uintptr_t pc; /* where it began */
	uint32_t ctx;
	bool waiting;		   /* the owner is at its end */
	hd_strand *waiter;	   /* workers: who waits for it */
	struct hj_accum *accums;   /* that it makes the values of */
	struct hj_thrown_ *thrown; /* exceptions of its tasks */
};

struct hd_task {
	hd_strand *strand;
	struct hd_finish *ief; /* the innermost finish around its spawn; NULL: a root */
	struct hd_finish *top; /* the innermost that is open in it, else ief */
	hj_fn *fn;
	hj_future_fn *future_fn;
	void *arg;
	size_t copied; /* bytes of arg that are ours */
	struct hj_future *result;
	struct hd_registration *phasers;

	/* Begins when these have their values: task_future.c. */
	struct hj_future **await;
	size_t nawait, iawait;
	struct hd_task *next_awaiting;

	struct hd_isolation *isolation; /* the innermost that is open */
	struct hd_permit *permits;	/* regions that are open */
	bool in_single;
	bool threw;   /* an exception has ended it */
	bool went_on; /* it has ended a finish without waiting */
	int worker; /* 1 + the worker number that it was told, negative if shared; 0: it never asked */
};

/* The calling task; NULL: there is none. */
static inline struct hd_task *hd_task_here(uintptr_t caller)
{
	hd_strand *s = hd_carrier_enter(caller);

	return s ? hd_strand_task(s) : NULL;
}

/*
 * The same; if there is none, that is misuse of @call unless
 * the runtime is not in charge.
 */
struct hd_task *hd_task_enter(uintptr_t caller, const char *call);

/* ---- task.c, parallel/par_task.c ------------------------------------------- */

/*
 * A task in the current one's innermost finish. The caller fills in what it is to do and then says
 * hd_task_go(). Has had its scheduling point.
 */
struct hd_task *hd_task_new(struct hd_task *me);
void hd_task_go(struct hd_task *t);
/* task_async.c: a call that blocks is not for isolated blocks and single statements: then it is misuse. */
void hd_task_may_block(struct hd_task *me, const char *call);

/* ---- task_life.c ------------------------------------------------------------ */

/* A launch's task: @fn(@arg) in a finish. What its tasks threw. */
struct hj_thrown_ *hd_task_root(struct hd_task *me, hj_fn *fn, void *arg, uintptr_t caller);
/* Any other's beginning, and its end, of which its finish is told. */
void hd_task_perform(struct hd_task *t);
void hd_task_wind_up(struct hd_task *t);

/* ---- task_finish.c; the first two: task_finish_wait.c, parallel/par_finish.c ----- */

/* Wait for the tasks of @fin, which are then joined and its accumulators made. */
void hd_finish_wait(struct hd_finish *fin);
void hd_finish_discard(struct hd_finish *fin);

struct hd_finish *hd_finish_begin(struct hd_task *me);
/* What its tasks threw, to be thrown by whoever ends it: hd_throw() in the last place. */
struct hj_thrown_ *hd_finish_end(struct hd_task *me);
/* A task of @fin has ended. */
void hd_finish_task_ended(struct hd_finish *fin, struct hd_task *t);
/* Finishes that a task leaves open at its end. */
void hd_finish_abandon(struct hd_task *me);

/* ---- task_throw.c --------------------------------------------------------- */

/* Call it. What it throws belongs to @fin; true: it has. */
bool hd_call_catching(void (*call)(void *), void *arg, struct hd_finish *fin);
/* @fin has these, too. */
void hd_throw_later(struct hd_finish *fin, struct hj_thrown_ *list);
/* Throw them, if there are any. */
void hd_throw(struct hj_thrown_ *list);
/* Is the caller's frame being left by an exception? */
bool hd_is_unwinding(void);

/* ---- task_future.c -------------------------------------------------------- */

struct hj_future *hd_future_new(struct hd_task *by);
void hd_future_put(struct hj_future *f, void *value);
/* Make @t wait for these; it gets a copy of the list. */
void hd_task_await(struct hd_task *t, struct hj_future *const *futures, size_t n);
/* Is there something that @t has to await still? Then it begins when that is there. */
bool hd_task_awaits(struct hd_task *t);
/* At the beginning of a task that awaited. */
void hd_task_awaited(struct hd_task *t);

/* ---- task_isolated.c, task_phaser.c, task_accum.c, task_permit.c ------------ */

void hd_isolated_abandon(struct hd_task *me);
/* Leave phasers: all, or those registered on in @fin. */
void hd_phasers_leave(struct hd_task *me, const struct hd_finish *fin);
void hd_accums_settle(struct hd_finish *fin);
void hd_permits_abandon(struct hd_task *me);
/* task_workers.c, parallel/par_workers.c: the worker number that a task was told is free again. */
void hd_worker_release(struct hd_task *me);

/*
 * The locks of isolated blocks: task_isolated_locks.c, parallel/par_isolated.c. One stands for
 * everything, each object has one of its own.
 */
void hd_isolated_take_all(bool shared);
void hd_isolated_give_all(bool shared);
void hd_isolated_take(uintptr_t object);
void hd_isolated_give(uintptr_t object);
uintptr_t hd_isolated_all(void); /* the address that stands for the first in reports */

/* A conflict of permission regions, told: task_permit_tell.c, parallel/par_check.c. */
struct hd_permit_conflict {
	uintptr_t addr;
	size_t index;
	const char *text;
	uint32_t other; /* whose region is open already, where, and to write? */
	bool other_writes;
	uintptr_t other_pc;
	uint32_t other_ctx;
	bool write; /* and what the current task is about to do */
};
void hd_permit_tell(const struct hd_permit_conflict *c);

/* ---- making tasks ----------------------------------------------------------- */

/* A task that is to call @fn(@arg); NULL: there is no task around, and it has been called. */
static inline struct hd_task *hd_task_to_call(struct hd_task *me, hj_fn *fn, void *arg)
{
	struct hd_task *t;

	if (!me) {
		fn(arg);
		return NULL;
	}
	t = hd_task_new(me);
	t->fn = fn;
	t->arg = arg;
	return t;
}

/* A task that is to make the value of @future by @fn(@arg); NULL: it is made already. */
struct hd_task *hd_task_to_make(struct hd_task *me, hj_future_fn *fn, void *arg,
				struct hj_future **future);

/* ---- objects ---------------------------------------------------------------- */

/* Memory for an object of the trace: what its address meant before is over. */
static inline void *hd_task_object(size_t size)
{
	void *p = hd_carrier_alloc(size);

	if (hd_carrier_in_charge())
		hd_carrier_event(HD_OP_ALLOC, (uintptr_t)p, size, 0);
	return p;
}

#endif
