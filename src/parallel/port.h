/*
 * The runtime's interface to the constructs of src/tasks, on worker threads: what these files call by
 * its name in runtime/rt.h is here, too, so that they are built a second time unchanged.
 *
 * There fibers run one at a time. Here tasks run at the same time, so the constructs that share state
 * (phasers, actors, accumulators, permission regions) run under one lock, the library's: HD_CALL
 * takes it for the rest of an exported function, hd_rt_block() gives it back while it
 * waits, HD_OUTSIDE() while the program's own code runs. What is hot (async, finish, futures,
 * isolated blocks) has files of its own in this folder and does without it.
 */
#ifndef HD_PARALLEL_PORT_H
#define HD_PARALLEL_PORT_H

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/memory/arena.h"
#include "trace/event.h"

#define HD_EXPORT    __attribute__((visibility("default")))
#define HD_NOINLINE  __attribute__((noinline))
#define likely(x)    __builtin_expect(!!(x), 1)
#define unlikely(x)  __builtin_expect(!!(x), 0)
#define HD_NEVER     UINT64_MAX
#define HD_CALLER    ((uintptr_t)__builtin_return_address(0))

struct hd_task;
struct hd_worker;
struct hd_stack;
struct hd_permit_conflict;

/* A task as its carrier sees it. */
struct fiber {
	uint32_t id; /* the number in T1, T2, ... */
	uintptr_t pc; /* caller of the construct at hand */
	uint32_t ctx;
	struct hd_task *task;
	struct hd_worker *worker; /* where it runs, and goes on running */
	void *sp;                 /* while it is suspended */
	struct hd_stack *stack;
	struct fiber *next;       /* in a queue of those that wait or can go on */
	struct fiber *next_noted;
	uintptr_t wait_addr;
	enum hd_thread_state wait_why; /* for reports only */
	void *check; /* what the checker keeps */
};

/* The task that the calling thread runs; NULL: none. */
struct fiber *hd_par_current(void);

/* ---- the library's lock ------------------------------------------------------- */

void hd_par_lock(void); /* nests */
void hd_par_unlock(void);
unsigned hd_par_unlock_all(void); /* returns how often it was taken */
void hd_par_lock_again(unsigned times);

struct hd_par_call {
	char taken;
};
static inline struct hd_par_call hd_par_call_begin(void)
{
	hd_par_lock();
	return (struct hd_par_call){ 1 };
}
static inline void hd_par_call_end(struct hd_par_call *c)
{
	if (c->taken)
		hd_par_unlock();
}
#define HD_CALL                                                                                    \
	struct hd_par_call hd_call_ __attribute__((cleanup(hd_par_call_end), unused)) =            \
		hd_par_call_begin()
#define HD_OUTSIDE(call)                                                                           \
	do {                                                                                       \
		unsigned times_ = hd_par_unlock_all();                                             \
		call;                                                                              \
		hd_par_lock_again(times_);                                                         \
	} while (0)

/* ---- waiting -------------------------------------------------------------------- */

/* Under the lock. Wait until hd_rt_wake_all(); may come back for no reason. */
void hd_par_block(enum hd_thread_state why, uintptr_t addr);
void hd_par_wake_all(uintptr_t addr);
/* Under the lock: a task that waits otherwise, for reports of deadlocks; and all of them. */
void hd_par_note_waiting(struct fiber *f, bool waits);
void hd_par_each_waiting(void (*fn)(struct fiber *f, void *arg), void *arg);
bool hd_par_has_waiters(uintptr_t addr);
/* Let others run on this worker, if there are any. */
void hd_par_yield(void);

/* The task that makes @future may be the next that this worker would run: then it runs now. */
void hd_par_help(const void *future);
/* Whoever is no task waits like any thread. */
void hd_par_pause(void);
#define HD_AWAIT_OUTSIDE(condition)                                                                \
	do {                                                                                       \
		while (!(condition))                                                               \
			hd_par_pause();                                                            \
	} while (0)
/* @f, which has awaited something, can begin. */
void hd_par_ready(struct fiber *f);

/* Its owner counts among the pending tasks of a finish: par_finish.c. */
#define HD_FINISH_TOKEN                 1
#define hd_rt_in_charge()               true
#define hd_rt_help(future)              hd_par_help(future)
#define hd_rt_light_ready(f)            hd_par_ready(f)
#define hd_rt_spin()                    hd_par_yield()
#define hd_rt_fine_point()              ((void)0)
#define hd_rt_point()                   ((void)0)
#define hd_rt_calm_point()              ((void)0)
#define hd_rt_point_before(why, addr)   ((void)0)
#define hd_rt_region_is_calm(pc)        ((void)(pc), true)
#define hd_rt_explore_uses(what)        ((void)0)
#define hd_rt_explore_peek(addr)        ((void)0)
#define hd_rt_explore_change(addr, was, is) ((void)(was))
#define hd_rt_explore_sum(addr, was, is)    ((void)(was))
#define hd_rt_progress()                ((void)0)
#define hd_rt_block(why, addr, until)   hd_par_block(why, addr)
#define hd_rt_wake_all(why, addr)       hd_par_wake_all(addr)
#define hd_rt_has_waiters(addr)         hd_par_has_waiters(addr)

/* ---- memory ------------------------------------------------------------------------- */

/* By any thread, without the lock. Zeroed. */
void *hd_par_alloc(size_t size);
void hd_par_free(void *p, size_t size);
#define hd_rt_alloc(size)   hd_par_alloc(size)
#define hd_rt_free(p, size) hd_par_free(p, size)

/* ---- telling ---------------------------------------------------------------------- */

/*
 * The checker, if there is one in this library and the run is checked; else all are NULL. The
 * functions are called by the thread that runs the task, which is hd_par_current().
 */
struct hd_par_checker {
	void (*event)(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2, uint16_t arg);
	/* The current task is another one from now on (or none). */
	void (*enter)(struct fiber *f);
	/* @f begins to run on the stack below @top, which the calls of another may have used. */
	void (*began)(struct fiber *f, struct hd_stack *s, uintptr_t top);
	/* @f has ended; the memory of its stack below @top is used anew. */
	void (*ended)(struct fiber *f, struct hd_stack *s, uintptr_t top);
	void (*range)(const void *addr, size_t len, bool write);
	void (*misuse)(uintptr_t addr, uintptr_t pc, uint32_t ctx, bool here, const char *text);
	void (*permission)(const struct hd_permit_conflict *c);
	void (*launched)(struct fiber *root, bool begins);
	uint32_t (*context)(void); /* of the current task, as a number */
	/* Every task waits and nobody can end that. */
	void (*deadlock)(void);
};
extern struct hd_par_checker hd_par_checker __attribute__((visibility("hidden")));

static inline bool hd_par_checked(void)
{
	return unlikely(hd_par_checker.event != NULL);
}

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static inline struct fiber *hd_rt_enter(uintptr_t caller)
{
	struct fiber *f = hd_par_current();

	/* One of ours that calls another of ours: the program's place is known already. */
	if (f && caller - (uintptr_t)__ehdr_start >= (uintptr_t)(_end - __ehdr_start)) {
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

#define hd_rt_event(op, addr, value, arg)          hd_par_event(op, addr, value, 0, arg)
#define hd_rt_event2(op, addr, value, value2, arg) hd_par_event(op, addr, value, value2, arg)

static inline void hd_par_range(const void *addr, size_t len, bool write)
{
	if (hd_par_checker.range)
		hd_par_checker.range(addr, len, write);
}
#define hd_rt_range(addr, len, write) hd_par_range(addr, len, write)
#define hd_rt_range_done(addr, len)   hd_par_range(addr, len, true)

/* A construct that only tasks may use. */
void hd_par_no_task(uintptr_t caller, const char *call);
#define hd_rt_no_fiber(caller, call) hd_par_no_task(caller, call)

/* A finding, or where nothing is checked, a line on standard error. */
void hd_par_misuse(uintptr_t addr, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void hd_par_misuse_at(uintptr_t pc, uint32_t ctx, const char *text);
#define hd_rt_misuse(...)                   hd_par_misuse(__VA_ARGS__)
#define hd_rt_misuse_at(pc, ctx, text)      hd_par_misuse_at(pc, ctx, text)

#endif
