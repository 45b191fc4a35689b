/*
 * What the files of this folder share: strands, the library's lock, waiting, memory, telling.
 *
 * Tasks run at the same time here, so the constructs of src/tasks that share state (phasers,
 * actors, accumulators, permission regions) run under one lock, the library's: HD_CALL takes it for
 * the rest of an exported function, hd_par_block() gives it back while it waits, HD_OUTSIDE() while
 * the program's own code runs (worker_carrier.h). What is hot (async, finish, futures, isolated
 * blocks) has files of its own in this folder and does without it.
 */
#ifndef HD_PARALLEL_PAR_H
#define HD_PARALLEL_PAR_H

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/compiler.h"
#include "runtime/memory/arena.h"
#include "trace/event.h"

struct hd_task;
struct hd_worker;
struct hd_par_stack;
struct hd_permit_conflict;

/* A task as its carrier sees it. */
struct hd_par_strand {
	uint32_t id;  /* the number in T1, T2, ... */
	uintptr_t pc; /* caller of the construct at hand */
	uint32_t ctx;
	struct hd_task *task;
	struct hd_worker *worker; /* where it runs, and goes on running */
	void *sp;		  /* while it is suspended */
	struct hd_par_stack *stack;
	struct hd_par_strand *next; /* in a queue of those that wait or can go on */
	struct hd_par_strand *next_noted;
	uintptr_t wait_addr;
	enum hd_thread_state wait_why; /* for reports only */
	void *check;		       /* what the checker keeps */
};

/* The task that the calling thread runs; NULL: none. */
struct hd_par_strand *hd_par_current(void);

/* ---- the library's lock ------------------------------------------------------- */

void hd_par_lock(void); /* nests */
void hd_par_unlock(void);
unsigned hd_par_unlock_all(void); /* returns how often it was taken */
void hd_par_lock_again(unsigned times);

/* ---- waiting -------------------------------------------------------------------- */

/* Under the lock. Wait until hd_par_wake_all(); may come back for no reason. */
void hd_par_block(enum hd_thread_state why, uintptr_t addr);
void hd_par_wake_all(uintptr_t addr);
/* Under the lock: a task that waits otherwise, for reports of deadlocks; and all of them. */
void hd_par_note_waiting(struct hd_par_strand *f, bool waits);
void hd_par_each_waiting(void (*fn)(struct hd_par_strand *f, void *arg), void *arg);
bool hd_par_has_waiters(uintptr_t addr);
/* Let others run on this worker, if there are any. */
void hd_par_yield(void);

/* The task that makes @future may be the next that this worker would run: then it runs now. */
void hd_par_help(const void *future);
/* Whoever is no task waits like any thread. */
void hd_par_pause(void);
/* @f, which has awaited something, can begin. */
void hd_par_ready(struct hd_par_strand *f);

/* ---- memory ------------------------------------------------------------------------- */

/* By any thread, without the lock. Zeroed. */
void *hd_par_alloc(size_t size);
void hd_par_free(void *p, size_t size);

/* ---- telling ---------------------------------------------------------------------- */

/*
 * The checker, if there is one in this library and the run is checked; else all are NULL. The
 * functions are called by the thread that runs the task, which is hd_par_current().
 */
struct hd_par_checker {
	void (*event)(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2, uint16_t arg);
	/* The current task is another one from now on (or none). */
	void (*enter)(struct hd_par_strand *f);
	/* @f begins to run on the stack below @top, which the calls of another may have used. */
	void (*began)(struct hd_par_strand *f, struct hd_par_stack *s, uintptr_t top);
	/* @f has ended; the memory of its stack below @top is used anew. */
	void (*ended)(struct hd_par_strand *f, struct hd_par_stack *s, uintptr_t top);
	void (*range)(const void *addr, size_t len, bool write);
	void (*misuse)(uintptr_t addr, uintptr_t pc, uint32_t ctx, bool here, const char *text);
	void (*permission)(const struct hd_permit_conflict *c);
	/* Data that is to be checked; also by who is no task. */
	void (*named)(uintptr_t addr, size_t len);
	void (*launched)(struct hd_par_strand *root, bool begins);
	uint32_t (*context)(void); /* of the current task, as a number */
	/* Every task waits and nobody can end that. */
	void (*deadlock)(void);
};
extern struct hd_par_checker hd_par_checker __attribute__((visibility("hidden")));

static inline bool hd_par_checked(void)
{
	return unlikely(hd_par_checker.event != NULL);
}

/* The calling strand, which remembers @caller for reports; NULL: none. */
static inline struct hd_par_strand *hd_par_enter(uintptr_t caller)
{
	struct hd_par_strand *f = hd_par_current();

	/* One of ours that calls another of ours: the program's place is known already. */
	if (f && !hd_rt_is_ours(caller)) {
		f->pc = caller;
		if (hd_par_checked())
			f->ctx = hd_par_checker.context();
	}
	return f;
}

static inline void hd_par_event(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2,
				uint16_t arg)
{
	if (hd_par_checked())
		hd_par_checker.event(op, addr, value, value2, arg);
}

static inline void hd_par_range(const void *addr, size_t len, bool write)
{
	if (hd_par_checker.range)
		hd_par_checker.range(addr, len, write);
}

/* A construct that only tasks may use. */
void hd_par_no_task(uintptr_t caller, const char *call);

/* A finding, or where nothing is checked, a line on standard error. */
void hd_par_misuse(uintptr_t addr, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void hd_par_misuse_at(uintptr_t pc, uint32_t ctx, const char *text);

#endif
