/*
 * The runtime: what runs inside the tested program.
 *
 * Ground rules for everything in this folder:
 *
 * - One kernel thread runs program code. It carries every thread of the program
 *   as a fiber, so runtime state needs no locks and no atomics, and a fiber runs
 *   undisturbed until it reaches a scheduling point.
 * - Never switch inside libc, malloc or the loader. A scheduling point is the
 *   first thing an interposed call does, before it touches anything.
 * - Never call malloc, stdio or anything interposed by ourselves: memory comes
 *   from arena.h, system calls from sys.h, the functions behind ours from real.h.
 * - Never make the program fail: keep errno, return what POSIX says, count what
 *   could not be done (hd_rt_drop).
 * - Decide nothing by time, pids or addresses of our own: equal seeds give equal
 *   runs, byte for byte.
 * - Everything is hd_rt_*; reports strip frames with that prefix.
 *
 * The folders:
 *
 *   abi/      what the compiler calls: accesses, atomics, function entries; annotations
 *   sync/     mutexes, conditions, semaphores, barriers, futexes, <threads.h>
 *   thread/   threads: their life, their end, what is specific to them
 *   process/  signals, fork and exec, the ends of the process
 *   io/       descriptors, files, standard I/O
 *   time/     virtual clocks, how they move, stalls
 *   libc/     functions of libc that touch memory for the program
 *   memory/   the program's allocators and heap checks; the runtime's own arena
 *   fiber/    fibers, the donors that lend them a thread, the switch
 *   sched/    the scheduler, its policies, threads that spin
 *   explore/  executions for the explorer, and digests of states
 *   weak/     --model c11 and tso: what a thread may read
 *   observe/  where events go: the trace, analyses while the program runs, findings
 */
#ifndef HD_RUNTIME_RT_H
#define HD_RUNTIME_RT_H

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/fiber_calls.h"
#include "abi/fiber_inline.h"
#include "abi/inline_vars.h"
#include "common/hash.h"
#include "compiler.h"
#include "explore/fiber_explore.h"
#include "fiber/fiber_body.h"
#include "heddle/engine/run_config.h"
#include "process/fiber_signals.h"
#include "sched/fiber_policy.h"
#include "sched/fiber_spin.h"
#include "sched/fiber_wait.h"
#include "sync/fiber_locks.h"
#include "thread/fiber_thread.h"
#include "time/fiber_time.h"
#include "trace/event.h"
#include "trace/ring.h"
#include "weak/fiber_weak.h"

#define HD_NEVER UINT64_MAX /* a deadline that does not come */

enum hd_record { HD_REC_NONE, HD_REC_SYNC, HD_REC_ALL };

enum hd_fiber_state { HD_F_RUNNABLE, HD_F_BLOCKED, HD_F_DONE };

/*
 * A fiber. Each part belongs to the folder that its header is in. What every access and every call
 * of the program uses comes first, to lie together.
 */
struct fiber {
	void *sp; /* while it does not run */
	uintptr_t fs;
	uintptr_t pc; /* caller of the interposed call being made */
	uint32_t id;  /* the number in T1, T2, ... */
	struct hd_fiber_calls calls;
	struct hd_fiber_inline in_line;
	struct hd_fiber_tls tls;
	struct hd_fiber_spin spin;

	enum hd_fiber_state state;
	int run_index; /* in hd_rt.runnable; -1: not in it */
	struct hd_fiber_wait wait;
	struct hd_fiber_time time;
	struct hd_fiber_policy policy;
	struct hd_fiber_explore explore;
	struct hd_fiber_signals signals;
	struct hd_fiber_locks locks;
	struct hd_fiber_weak weak;

	struct fiber *next, **prev; /* hd_rt.all, in order of creation */
	struct fiber *next_by_id;   /* thread.c: of those that share a place in its index */
	int tid; /* the kernel's number for the thread that fs is of, which libc goes by */
	struct hd_fiber_stack stack;
	struct hd_fiber_donor donor;
	struct hd_fiber_light light;
	struct hd_fiber_thread thread;
	struct hd_fiber_cancel cancel;
	struct hd_fiber_end end;
	struct hd_fiber_tsd tsd;
	void *task; /* what programming models on top keep: tasks, */
	void *omp;  /* and OpenMP beside a task of another kind */
};

/* What the run was told, under the names of run_config.def; where it has comments, they are there. */
struct hd_options {
	union {
		struct hd_run_config config;
		struct {
#define HD_RUN(id, field, key, kind, dflt, words)  HD_RUN_TYPE_##kind field;
#define HD_TOLD(id, field, key, kind, dflt, words) HD_RUN_TYPE_##kind field;
#include "heddle/engine/run_config.def"
#undef HD_RUN
#undef HD_TOLD
		};
	};
	enum hd_record record; /* of record_to */
	bool direct;	       /* nobody started the program for us */
};

/* All state of the runtime that is hot or shared between its files. */
struct hd_rt {
	struct fiber *cur;
	uint32_t access_budget; /* accesses until the hook itself makes a scheduling point */
	uint16_t mode;		/* what access hooks do: HD_M_* */
	bool exploring;		/* what happens is told to an explorer: explore.h */
	bool accessed;	/* a thread has looked at memory since the last look at a long loop */
	bool accessing; /* an access is being made that hd_rt_weak_made() is to be told of */
	bool active;	/* in charge: set once initialised, cleared at the end and in children */
	uint32_t busy;	/* > 0: inside the runtime, interposed calls go straight to libc */
	uint64_t slice_tag; /* see abi_access.c */
	uint64_t progress;  /* raised by whatever another thread could notice: writes, ends, I/O */
	uint64_t soft_progress;	 /* the same for barriers, semaphores, notifications */
	uint64_t lock_progress;	 /* ... for locks being taken and given back */
	uint64_t stack_progress; /* ... for what threads write to their own stacks */
	struct hd_raw *buf;	 /* current ring buffer */
	struct hd_raw *pending;	 /* a WRITE whose value is not known yet */
	uint32_t rec_thread;	 /* whose events the ring is in the middle of */
	bool recording;		 /* events go to a collector: record.c */
	bool planning;		 /* a plan is being followed: it is told of every event */

	struct fiber **runnable;
	uint32_t nrunnable, cap_runnable;
	struct fiber *all, **all_tail;
	struct fiber *timed, *timed_last;
	uint32_t nlive, nthreads, nio;
	uint32_t nbare;	    /* light fibers that could run and never have */
	uint32_t nbodies;   /* light fibers that have a donor */
	uint64_t now;	    /* virtual nanoseconds since the start */
	bool assumed;	    /* a fiber has stopped at an assumption that does not hold */
	bool clock_seen;    /* the program has looked at a clock */
	uint64_t work;	    /* nanoseconds of work so far: pace.c */
	uint32_t quarters;  /* of a nanosecond, in addition */
	int64_t slept_from; /* pace.c: when the longest sleep that goes on began; INT64_MAX: none */
	uint64_t early_step; /* pace.c: when the wait of early_thread ends early */
	uint32_t early_thread, early_wait;
	bool sleepers_changed; /* pace.c: that is to be found out again */
	uint64_t timer_due; /* when the first timer expires (timers.c); HD_NEVER: none is armed */
	uint64_t steps;	    /* scheduling points so far */
	uint64_t calm_progress, calm_step, calm_time,
		calm_work;  /* the last progress that a point saw */
	uint64_t cycle_key; /* spin.c: when fibers were last found to spin */
	uint32_t ncycles;
	uint64_t choices;   /* decisions among several so far */
	struct fiber *reap; /* finished detached fiber whose donor is to be let go */
	struct hd_options opt;
	int pid;
	uintptr_t allocator, allocator_size; /* where the code of one that is not libc's is; 0, 0 */
	volatile uint64_t sig_process;	     /* signals that came from outside, not yet delivered */
};

enum {
	HD_M_ACCESS_POINTS = 1,
	HD_M_RECORD = 2,
	HD_M_RACE = 4,
	HD_M_TASKS = 8,
	HD_M_STATES = 16,
	HD_M_SITES = 32,
	HD_M_REGIONS = 64,
	HD_M_HEAP = 128,
	HD_M_LOOKS = 256,  /* the next access is of interest: explore/await.c */
	HD_M_TSO = 512,	   /* what it reads or leaves in memory may be: weak/weak.h */
	HD_M_TWICE = 1024, /* memory has several addresses: memory/mapped_twice.h */
};

extern struct hd_rt hd_rt __attribute__((visibility("hidden")));
extern struct fiber hd_rt_main_fiber __attribute__((visibility("hidden")));

/* weak.c: the access that hd_rt.accessing stands for has been made. Before anything else. */
void hd_rt_weak_made(void);

/*
 * First call of every interposed function: remembers the caller for reports.
 * NULL: the runtime is not in charge (not initialised, a foreign kernel thread,
 * a forked child in between, the allocator or ourselves): do what libc does.
 */
static inline struct fiber *hd_rt_enter(uintptr_t caller)
{
	uintptr_t fs;

	if (unlikely(!hd_rt.active || hd_rt.busy))
		return NULL;
	__asm__("mov %%fs:0x10, %0" : "=r"(fs));
	if (unlikely(fs != hd_rt.cur->fs || caller - hd_rt.allocator < hd_rt.allocator_size))
		return NULL;
	/* One of ours that calls another of ours: the program's place is known already. */
	if (likely(!hd_rt_is_ours(caller)))
		hd_rt.cur->pc = caller;
	if (unlikely(hd_rt.accessing))
		hd_rt_weak_made();
	return hd_rt.cur;
}

/* ---- sched.c ---------------------------------------------------------- */

/* A scheduling point: another fiber may run before this returns. */
void hd_rt_point(void);
/* The same before an access to memory. */
void hd_rt_access_point(void);

/*
 * The same before something that may have to wait for @addr as @why: an explorer does not run a
 * fiber only to find out that it must.
 */
static inline void hd_rt_point_before_timed(enum hd_thread_state why, uintptr_t addr,
					    uint64_t deadline)
{
	struct fiber *me = hd_rt.cur;

	me->explore.wants = why;
	me->explore.wants_addr = addr;
	me->explore.wants_until = deadline;
	hd_rt_point();
	me->explore.wants = HD_TS_RUNNING;
}

static inline void hd_rt_point_before(enum hd_thread_state why, uintptr_t addr)
{
	hd_rt_point_before_timed(why, addr, HD_NEVER);
}

/*
 * Is it no use to wait until @deadline? Where time orders nothing, a wait that can end by itself need
 * not be begun: the caller stood before it for as long as it was to last.
 */
bool hd_rt_too_late(uint64_t deadline);

/*
 * Is @deadline over before a wait that others end begins? Where time orders nothing that says nothing: somebody may
 * come in between.
 */
static inline bool hd_rt_is_past(uint64_t deadline)
{
	return !hd_rt.opt.any_time && deadline <= hd_rt.now;
}

/*
 * The same before something whose outcome is the same whoever comes first, and that nobody can see
 * coming: making a task, ending a finish, getting a future, signalling a phaser.
 */
void hd_rt_calm_point(void);

/*
 * Block the current fiber until hd_rt_wake* or the deadline (virtual time).
 * The caller has put nothing half-way: any fiber may run meanwhile. It may be woken for no reason
 * (a signal handler ran), so what is waited for is looked at again.
 */
enum hd_wake hd_rt_block(enum hd_thread_state why, uintptr_t addr, uint64_t deadline);
/* The same at a cancellation point / where a signal interrupts. */
enum hd_wake hd_rt_block_cancellable(enum hd_thread_state why, uintptr_t addr, uint64_t deadline,
				     bool interruptible);

/* Make one blocked fiber runnable. */
void hd_rt_wake(struct fiber *f, enum hd_wake result);
/* One of those that wait for @addr as @why (the policy chooses); NULL: nobody. */
struct fiber *hd_rt_wake_one(enum hd_thread_state why, uintptr_t addr);
unsigned hd_rt_wake_all(enum hd_thread_state why, uintptr_t addr);
bool hd_rt_has_waiters(uintptr_t addr);
/* Who has waited longest for @addr as @why; NULL: nobody. */
struct fiber *hd_rt_first_waiter(enum hd_thread_state why, uintptr_t addr);
struct fiber *hd_rt_next_waiter(const struct fiber *f); /* for the same */

/*
 * Waiters of a lock: enabled when it becomes free, disabled again when somebody
 * takes it, so that a fiber never runs only to find that it must wait on.
 */
void hd_rt_enable(enum hd_thread_state why, uintptr_t addr);
void hd_rt_disable(enum hd_thread_state why, uintptr_t addr);
/* Move a waiter of one object to another (a condition's to its mutex). */
void hd_rt_requeue(struct fiber *f, enum hd_thread_state why, uintptr_t addr, bool enabled);

void hd_rt_forget_waiters(void);

/* A scheduling point where only runs that follow a plan (and their replays) need one. */
static inline void hd_rt_fine_point(void)
{
	if (unlikely(hd_rt.opt.wide))
		hd_rt_point();
}

/* Let go of the processor: prefer others at this point, if there are any. */
void hd_rt_yield(void);

/* The same, and one of the others does run before this returns, if one can. */
void hd_rt_step_aside(void);

/* Start running @f's code: a new fiber becomes runnable. */
void hd_rt_add_runnable(struct fiber *f);
/* One that has not begun is not to begin now after all. */
void hd_rt_hold(struct fiber *f);
/* The current fiber is done and never returns here. */
void hd_rt_leave(void) __attribute__((noreturn));

/* Something another thread could notice has happened: nobody merely spins. */
static inline void hd_rt_progress(void)
{
	hd_rt.progress++;
}

/* The current fiber took a lock, or gave one back. */
static inline void hd_rt_lock_moved(void)
{
	hd_rt.lock_progress++;
	hd_rt.cur->spin.own_locks++;
	if (hd_rt.cur->locks.n < hd_rt.cur->spin.held)
		hd_rt.cur->spin.held = hd_rt.cur->locks.n;
}

/* All that anybody could have noticed so far. */
static inline uint64_t hd_rt_moves(void)
{
	return hd_rt.progress + hd_rt.soft_progress + hd_rt.lock_progress + hd_rt.stack_progress;
}

/* ---- policy_plan.c ------------------------------------------------------ */

/*
 * The current fiber does this event now. Only while hd_rt.planning. Before the event is
 * recorded; never switches.
 */
void hd_rt_plan_event(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2, uintptr_t pc);
/* It comes to a loop that a run without a plan may have recorded as a whole (abi_loops.c). */
struct hd_loop_part;
void hd_rt_plan_loop(const struct hd_loop_part *parts, unsigned n, unsigned long rounds);
/* Where the plan has this access, if it has it next and as one of such a loop; else @pc. */
uintptr_t hd_rt_plan_place(uintptr_t addr, bool write, uintptr_t pc);
/* Say that the goal has been reached, if it has and nobody knows yet. */
void hd_rt_plan_news(void);
/* The program ends. */
void hd_rt_plan_end(void);

/* ---- spin.c ------------------------------------------------------------ */

/* The current fiber did something that changed nothing: a failed try, a load, a yield. */
void hd_rt_spin(void);
/* A hash of everything the current fiber's future depends on, besides shared memory; 0: unknown. */
uint64_t hd_rt_state_hash(void);
/* A part of it: what is kept for the current fiber outside of its stack and registers. */
uint64_t hd_rt_kept_hash(void);

/*
 * The current fiber may change something that none of these has: where a file stands, what libc keeps to itself, a
 * state of the process. A loop that does so is never in the same state again.
 */
static inline void hd_rt_changes_unseen(void)
{
	hd_rt.cur->spin.unseen++;
	hd_rt.cur->explore.deeds++;
}
/* The same of a lock that could not be taken: others giving it back is what may end the loop. */
void hd_rt_spin_tried(void);
/* The same where hd_rt_spin() came before the call, if times order nothing: twice would be no round. */
void hd_rt_spin_tried_once(void);
/*
 * Everybody who can run spins. Is it proved that they always will? Else they are to try again:
 * one that takes locks on its way may let others through, or keep them out.
 */
bool hd_rt_spinning_proved(void);
/* The same of very many reads at once, or of very many rounds of loops that read nothing. */
void hd_rt_spin_long(bool reads);
/* Has nothing happened since @f began to spin that could make a difference to it? */
bool hd_rt_spins_on(const struct fiber *f);
/* Is @f spinning until somebody else makes progress? */
static inline bool hd_rt_is_spinning(const struct fiber *f)
{
	return f->spin.cycle && hd_rt_spins_on(f);
}
/* The current fiber reads at @addr, which may be on another thread's stack. */
void hd_rt_spin_reads(uintptr_t addr);
/* The current fiber keeps a time at @p. */
void hd_rt_keeps_time(const void *p);

/* ---- clock.c ---------------------------------------------------------- */

uint64_t hd_rt_deadline_rel(const struct timespec *ts); /* now + ts, saturating */
uint64_t hd_rt_deadline_abs(clockid_t clock, const struct timespec *ts);
void hd_rt_advance_to(uint64_t ns);
/* What @clock shows now, in nanoseconds, to somebody who does not look. */
uint64_t hd_rt_clock_shows(clockid_t clock);

/* ---- timers.c ----------------------------------------------------------- */

/* Whatever is due by now expires. */
void hd_rt_timer_fire(void);
/* When the timer that runs for longest was armed, as in hd_rt.slept_from. */
int64_t hd_rt_timer_from(void);

/* ---- pace.c ------------------------------------------------------------- */

#define HD_POINT_NS 20 /* what a call that synchronises takes natively */

/* The current fiber has worked for so long: time passes. True: somebody's deadline has come. */
bool hd_rt_pass(uint32_t ns);
/* The same of the accesses since the last time, and @ns. */
static inline bool hd_rt_worked(uint32_t ns)
{
	ns += hd_rt.opt.quantum - hd_rt.access_budget + hd_inline_work();
	hd_rt.access_budget = hd_rt.opt.quantum;
	return likely(!hd_rt.opt.any_time) && hd_rt_pass(ns);
}
/* A wait is over at once, for its deadline is past: that is a look at the clock. */
void hd_rt_expired(void);
/* It is @ns now. */
bool hd_rt_pass_to(uint64_t ns);
#define HD_LOOK_NS 1000ull /* what a look at the clock takes here: loops of looks are to end */
void hd_rt_pass_look(void);
/* @f begins a wait that has an end: may it end early? When early_step has come, it does. */
void hd_rt_early_roll(struct fiber *f);
void hd_rt_early_strike(void);

/* ---- stall.c ------------------------------------------------------------ */

/* The clock moves by @ns although others than @but could run. */
void hd_rt_hold_up(uint64_t ns, const struct fiber *but);
/* @f goes on. */
void hd_rt_stall_over(struct fiber *f);
/* Put the longest stalls so far into the trace. */
void hd_rt_tell_stalls(void);

/* ---- io.c -------------------------------------------------------------- */

/* Mark fibers runnable whose descriptors are ready; wait up to @real_ns for one (-1: for ever). */
bool hd_rt_io_poll(int64_t real_ns);

/* ---- signals.c, signal_handlers.c --------------------------------------- */

void hd_rt_signals_init(void);
/* Run handlers for signals the current fiber may take now; true: one ran. */
bool hd_rt_signals_deliver(void);
static inline bool hd_rt_signals_waiting(void)
{
	return unlikely(hd_rt.sig_process | hd_rt.cur->signals.pending);
}
/* Exploring: the current fiber begins a step, and looks whether a signal has come. */
void hd_rt_signals_look(void);
/* Does somebody wait for what a signal from outside may bring? Then idling is no deadlock. */
bool hd_rt_signals_expected(void);
void hd_rt_signals_wait(int64_t real_ns);
/* The same of threads that compute meanwhile: what counts the time that they take goes on. */
void hd_rt_signals_spend(void);
/* Has the program a handler for a signal that the world may send? */
bool hd_rt_signals_handled(void);
/* Let that much real time pass, unless a signal comes. */
void hd_rt_signals_pace(uint64_t real_ns);
/* Does this stand for a signal in the trace? */
bool hd_rt_signal_object(uintptr_t addr);
/* The program's handler for @sig, which is about to run; false: it has none. */
bool hd_rt_signal_user_handler(int sig, struct sigaction *out);

/* ---- thread_exit.c ----------------------------------------------------- */

/* Act on a pending pthread_cancel; called at cancellation points. */
void hd_rt_testcancel(void);
/* hd_rt_enter() of a call that may wait and be cancelled: a scheduling point, too. */
struct fiber *hd_rt_enter_cancellable(uintptr_t caller);

/* ---- record.c ---------------------------------------------------------- */

/*
 * The current fiber does this, at its pc: everyone who wants to know is told (observe/emit.h). It
 * is in the trace if synchronisation is recorded. Context: any fiber; never allocates, never
 * switches.
 */
void hd_rt_event2(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2, uint16_t arg);
static inline void hd_rt_event(enum hd_op op, uintptr_t addr, uint64_t value, uint16_t arg)
{
	hd_rt_event2(op, addr, value, 0, arg);
}
/* The same of a lock that is taken or given back: most of what threads do. */
void hd_rt_lock_event(enum hd_op op, uintptr_t addr, uint16_t mode);
/* As above, but in the trace whatever is recorded (lifecycle, findings). */
void hd_rt_event_always(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2,
			uint16_t arg);
/* Into the trace, as no part of what the program does. */
void hd_rt_tell(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2, uint16_t arg);
/* A finding's access: pc and context are the current fiber's. */
void hd_rt_access_event(uintptr_t addr, uint32_t thread, enum hd_op op, uint32_t size,
			uint16_t number);
/* Does anybody want to know what orders threads? */
static inline bool hd_rt_watches_order(void)
{
	return hd_rt.opt.record != HD_REC_NONE || (hd_rt.mode & (HD_M_RACE | HD_M_TASKS)) ||
	       hd_rt.planning || hd_rt.exploring || hd_rt.opt.model;
}
/* The same, but for the detection of races. */
static inline bool hd_rt_order_is_news(void)
{
	return hd_rt.opt.record != HD_REC_NONE || (hd_rt.mode & ~(HD_M_RACE | HD_M_HEAP)) ||
	       hd_rt.planning || hd_rt.exploring || hd_rt.opt.model;
}
/* Does anybody want to know what memory is given out and back? */
static inline bool hd_rt_watches_memory(void)
{
	return hd_rt.opt.record == HD_REC_ALL || (hd_rt.mode & (HD_M_RACE | HD_M_TASKS)) ||
	       hd_rt.opt.wide || hd_rt.opt.model;
}
/* Number of a string in the trace; equal strings are sent once each call. */
uint64_t hd_rt_string(const char *s);
/* Pick up the value of the last write now: memory is about to change behind the hooks' back. */
void hd_rt_settle(void);
/* What is in memory now: @size is 1, 2, 4 or 8. */
static inline uint64_t hd_rt_value_at(uintptr_t a, unsigned size)
{
	switch (size) {
	case 1:
		return *(volatile uint8_t *)a;
	case 2:
		return *(volatile uint16_t *)a;
	case 4:
		return *(volatile uint32_t *)a;
	default:
		return *(volatile uint64_t *)a;
	}
}
/* Something could not be modelled or recorded; counted by reason, shown in every report. */
void hd_rt_drop(const char *reason);
/* The run now depends on the outside world; told once per reason. */
void hd_rt_outside(const char *reason);
/* The program was shown this time of day as its start. */
void hd_rt_note_start_time(uint64_t seconds);
/* In a forked child: the ring and the other fibers belong to the parent. */
void hd_rt_after_fork_child(void);
/* All exit handlers of the program have run. */
void hd_rt_before_end(void);
/* Everything is told, and nothing is left but the end. May not return. */
void hd_rt_process_end(int status);
/* Everything is on its way to the collector. Called once, at the end of the process. */
void hd_rt_finish(int status);

/* ---- context.c ----------------------------------------------------------- */

/* The context of a function that was called from @pc in context @parent. */
uint32_t hd_rt_context_child(uint32_t parent, uintptr_t pc);
/* The caller's context, and in @pc where it calls; 0: there is none. */
uint32_t hd_rt_context_up(uint32_t ctx, uintptr_t *pc);

/* ---- abi_calls.c --------------------------------------------------------- */

/*
 * The context that the current fiber is in. Making one may put a record into the trace: to be asked
 * for before anything is put there.
 */
uint32_t hd_rt_new_context(void);
static inline uint32_t hd_rt_context(void)
{
	const struct hd_call *top = heddle_inline1_top;

	if (unlikely(!top))
		return hd_rt.cur->calls.root;
	return likely(top->ctx) ? top->ctx : hd_rt_new_context();
}
/* The same of any fiber. */
uint32_t hd_rt_context_of(const struct fiber *f);
/* The context of a function that returns to @pc, called in context @parent. */
#define HD_CONTEXTS_BELOW_LOG 12
#define HD_CONTEXTS_BELOW     (1u << HD_CONTEXTS_BELOW_LOG)
struct hd_context_below {
	uint32_t parent, ctx;
	uintptr_t pc;
};
extern struct hd_context_below hd_rt_contexts_below[HD_CONTEXTS_BELOW]
	__attribute__((visibility("hidden")));
uint32_t hd_rt_new_context_below(struct hd_context_below *c, uint32_t parent, uintptr_t pc);
static inline uint32_t hd_rt_context_called(uint32_t parent, uintptr_t pc)
{
	struct hd_context_below *c =
		&hd_rt_contexts_below[hd_hash_call(parent, pc) >> (64 - HD_CONTEXTS_BELOW_LOG)];

	return likely(c->pc == pc && c->parent == parent) ? c->ctx
							  : hd_rt_new_context_below(c, parent, pc);
}
/* The same of a function that the current fiber is in now and was not told of. */
static inline uint32_t hd_rt_context_below(uintptr_t pc)
{
	return hd_rt.active ? hd_rt_context_called(hd_rt_context(), pc) : 0;
}

/*
 * What the current fiber tells from now on is from another place and context than it is in; until
 * it is back. No code of the program runs in between.
 */
struct hd_elsewhere {
	struct hd_call *top;
	uintptr_t pc;
	uint32_t root;
};
static inline struct hd_elsewhere hd_rt_go_elsewhere(void)
{
	struct hd_elsewhere from = { heddle_inline1_top, hd_rt.cur->pc, hd_rt.cur->calls.root };

	heddle_inline1_top = NULL;
	return from;
}
static inline void hd_rt_is_at(uintptr_t pc, uint32_t ctx)
{
	hd_rt.cur->pc = pc;
	hd_rt.cur->calls.root = ctx;
}
static inline void hd_rt_come_back(const struct hd_elsewhere *from)
{
	heddle_inline1_top = from->top;
	hd_rt_is_at(from->pc, from->root);
}

/* The current fiber is in that function. For as long as the caller does not put top back. */
void hd_rt_calls_enter_leaf(uintptr_t pc);

/* The current fiber is about to let another run, and runs again. */
static inline void hd_rt_calls_put_aside(void)
{
	hd_rt.cur->calls.top = heddle_inline1_top;
	hd_rt.cur->calls.limit = heddle_inline1_limit;
}
static inline void hd_rt_calls_take_up(void)
{
	heddle_inline1_top = hd_rt.cur->calls.top;
	heddle_inline1_limit = hd_rt.cur->calls.limit;
}

/* The current fiber jumps out of all functions below @sp, or ends. */
void hd_rt_calls_leave(uintptr_t sp);
void hd_rt_calls_end(void);

/* Before a thread is made: where the functions on this one's stack have their variables. */
void hd_rt_tell_locals(void);
/* Of these it gives @data to the outlined function @fn of a parallel region. */
void hd_rt_tell_shared(uintptr_t data, uintptr_t fn);

/* ---- abi_access.c ------------------------------------------------------ */

/*
 * A slice is a stretch of one fiber's execution in which nobody else runs and
 * nothing is synchronised: from one scheduling point to the next. A third and later read of the
 * same place by the same instruction in one slice tells nothing new and is left out of the trace.
 * The tag's low bits are those of a read (see abi_access.c).
 */
#define HD_SLICE_ONE (UINT64_C(1) << 37)
void hd_rt_slice_wrap(void);
static inline void hd_rt_next_slice(void)
{
	hd_rt.slice_tag += HD_SLICE_ONE;
	if (unlikely(hd_rt.slice_tag < HD_SLICE_ONE))
		hd_rt_slice_wrap();
}
void hd_rt_access_init(void);
void hd_rt_access_keep_all(void); /* from here on no read is left out of the trace */
/* A block is given back: what is known about reads of it no longer holds. */
void hd_rt_access_forget(uintptr_t addr, size_t len);
/* Was the last write to the stack one that changed something? Then it counts as progress. */
void hd_rt_note_stack_write(void);

/* An access made by libc for the program: @len bytes at @addr. */
void hd_rt_range(const void *addr, size_t len, bool write);
/* A scheduling point before whatever the libc call that is being made touches: the only one for all of it. */
void hd_rt_libc_point(void);
/* A scheduling point before libc writes, if accesses are points; hd_rt_range_done() will tell of it. */
void hd_rt_range_soon(void);
/* The same of a write that has happened: no scheduling point, for nobody may come in between. */
void hd_rt_range_done(const void *addr, size_t len);

/* ---- abi_atomic.c ------------------------------------------------------ */

/* Something of ours stored @value at @addr for the program, with release order. */
void hd_rt_atomic_store_event(uintptr_t addr, unsigned size, uint64_t value);
/* A volatile access of at most eight bytes is about to happen, and counts as atomic. */
void hd_rt_volatile_as_atomic(uintptr_t addr, unsigned size, bool write, uintptr_t pc);

/* ---- findings.c -------------------------------------------------------- */

/* Misuse of @addr by the current fiber, told with its stack; the run goes on. */
void hd_rt_misuse(uintptr_t addr, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same of something that was done at an earlier place, whose stack is shown. */
void hd_rt_misuse_at(uintptr_t pc, uint32_t ctx, const char *text);
void hd_rt_deadlock(void) __attribute__((noreturn));
void hd_rt_livelock(void) __attribute__((noreturn));
/* The same of threads that wait for each other's locks. */
void hd_rt_lock_cycle(void) __attribute__((noreturn));
/* What the program assumes does not hold: the current fiber stops here for good. */
void hd_rt_assumption_failed(void) __attribute__((noreturn));
/* End the run, which has come to a limit: --max-steps, or @calm scheduling points without progress. */
void hd_rt_stop(uint64_t calm) __attribute__((noreturn));

#endif
