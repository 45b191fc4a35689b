/*
 * One event of a run, decoded: the form that every analysis consumes.
 */
#ifndef HD_TRACE_EVENT_H
#define HD_TRACE_EVENT_H

#include <stdint.h>

#include "kinds.h"

enum hd_op {
#define HD_EVENT(num, name, ...) HD_OP_##name = (num),
#include "events.def"
};

/* How the reason of a drop begins that means: from then on, races were not looked for. */
#define HD_DROP_DETECTION "race detection: "
/* What the collector says where the program wrote over the ring: there may be more to tell. */
#define HD_DROP_DAMAGED "records damaged in memory shared with the program"

#define HD_OP_LIMIT 128 /* codes are 1 .. HD_OP_LIMIT - 1 */

/* What a field of an event means; see events.def. */
enum hd_use {
	HD_U_NONE,
	HD_U_LOC,
	HD_U_OBJ,
	HD_U_VAL,
	HD_U_LEN,
	HD_U_NUM,
	HD_U_THREAD,
	HD_U_MODE,
	HD_U_ORDER,
	HD_U_STR,
	HD_U_PC,
};

struct hd_op_info {
	const char *name;		  /* the word of the text form; NULL: no such event */
	uint8_t addr, value, value2, arg; /* enum hd_use */
};

/* Indexed by enum hd_op. */
extern const struct hd_op_info hd_op_info[HD_OP_LIMIT];

/* How a lock was taken (low bits) and what it is (high bits). */
enum hd_lock_mode {
	HD_LOCK_EXCLUSIVE = 0,
	HD_LOCK_SHARED = 1,
	HD_LOCK_TRY = 2,   /* by a call that would not have waited */
	HD_LOCK_TIMED = 4, /* by a call that would have waited for a while */
	HD_LOCK_AGAIN =
		8, /* a recursive lock's owner takes it once more, or gives back not the last */
	HD_LOCK_MUTEX = 0 << 4,
	HD_LOCK_RWLOCK = 1 << 4,
	HD_LOCK_SPIN = 2 << 4,
	HD_LOCK_FILE = 3 << 4,
	HD_LOCK_ISOLATED =
		4 << 4, /* address: the object's (or one that stands for all) with this set: */
	HD_LOCK_OMP = 5 << 4, /* of OpenMP: a lock of omp.h, critical */
	HD_LOCK_KIND_MASK = 7 << 4,
	/* Taken by a call whose result nobody looks at: what follows would have come without the lock, too. */
	HD_LOCK_UNHEEDED = 1 << 7,
};

/* A lock in the same place as the object that is isolated is another lock. */
#define HD_ISOLATED_TAG (UINT64_C(1) << 63)
/*
 * What excludes but is no lock of the program's: tasks on one OpenMP thread, which never overlap (reports
 * leave these out), and those with `mutexinoutset`.
 */
#define HD_TURN_TAG   (UINT64_C(1) << 62)
#define HD_DEPEND_TAG (UINT64_C(1) << 61)
/*
 * A lock excludes the threads of one team of an OpenMP league, not those of two: the number of the
 * team + 1 is above the address.
 */
#define HD_LEAGUE_SHIFT	     48
#define HD_LEAGUE_TEAM(addr) (((addr) & ~HD_ISOLATED_TAG) >> HD_LEAGUE_SHIFT)
#define HD_LEAGUE_LOCK(addr) ((addr) & ((UINT64_C(1) << HD_LEAGUE_SHIFT) - 1))

/* arg of READ and WRITE. */
enum hd_access_flag {
	HD_ACCESS_VOLATILE = 1,
	HD_ACCESS_LIBC = 2,   /* made by a libc function on the program's behalf */
	HD_ACCESS_REPEAT = 4, /* a repeat: later ones of this site in this slice are left out */
	/* A read: the program decides nothing by the value (it goes back to where it is from). */
	HD_ACCESS_IDLE = 8,
};

/* arg of ALLOC: it is no heap block. */
enum hd_alloc_flag {
	HD_ALLOC_STACK = 1, /* of a thread that is about to be made, or of a task that begins */
	/* The thread-local variables above that stack; the thread pointer is HD_THREAD_HEAD before their end. */
	HD_ALLOC_THREAD_LOCAL = 2,
};
#define HD_THREAD_HEAD 4096

/* arg of LOCALS: not where the frame pointer is, but what a region shares; see events.def. */
#define HD_LOCALS_SHARED UINT16_MAX

/* arg of CONSTRUCT and WITHIN: constructs of OpenMP. */
enum hd_construct {
	HD_IN_NONE,
	HD_IN_PARALLEL,
	HD_IN_FOR,
	HD_IN_PARALLEL_FOR,
	HD_IN_SECTIONS,
	HD_IN_PARALLEL_SECTIONS,
	HD_IN_TASK,
	HD_IN_TASKLOOP,
	HD_IN_TEAMS,
	HD_IN_TARGET,
	HD_IN_SIMD,
	HD_IN_LOOP, /* `loop` that binds to its thread; others are HD_IN_FOR */
	HD_IN_LIMIT,
	HD_IN_CHUNKS = 0x80, /* with HD_IN_FOR: its parts are chunks of several iterations */
};

/* arg of UNIT and ITERATION. */
enum hd_unit_arg {
	HD_UNIT_ONE,	  /* a unit that is this thread's by a rule */
	HD_UNIT_OVER,	  /* there are no more units */
	HD_UNIT_ANYBODYS, /* a unit for whichever thread of the team comes first */
	HD_UNIT_LEFT, /* no more of them are told apart, and what the thread does next is part of the last one */
};

static inline bool hd_unit_is_over(unsigned arg)
{
	return arg == HD_UNIT_OVER || arg == HD_UNIT_LEFT;
}

/* In the arg of an ACCESS. */
#define HD_ACCESS_TEARS	      0x100u
#define HD_ACCESS_BY_VOLATILE 0x200u

/* arg of STOPPED */
enum hd_stopped_by { HD_STOPPED_STEPS, HD_STOPPED_CALM, HD_STOPPED_ASSUMPTION };

/* arg of FREE. */
enum hd_free_flag {
	HD_FREE_PAGES = 1, /* by munmap: what is mapped there next is not announced */
};

/* arg of CHOICE. */
enum hd_choice_flag {
	HD_CHOICE_WAKE = 1,	   /* not who runs next, but which waiter a notification reaches */
	HD_CHOICE_COULD_GO_ON = 2, /* the thread that ran until now was among the possible ones */
	HD_CHOICE_TIME = 4,	   /* it waited: time passes until its deadline */
	HD_CHOICE_READ = 16,	   /* which write is read, or where one goes: see CHOICE */
	HD_CHOICE_WIDE = 8, /* in this run every scheduling point is a choice (option wide) */
};

/* How a run left its plan. */
enum hd_plan_why {
	HD_DIVERGED_OTHER_EVENT = 1, /* the thread did something else */
	HD_DIVERGED_TOO_EARLY,	     /* the thread could not be stopped before it */
	HD_DIVERGED_BLOCKED,	     /* the thread waits, and nobody in the plan can end that */
	HD_DIVERGED_ENDED,	     /* the thread has ended */
	HD_DIVERGED_NOT_THERE,	     /* the thread was not created */
	HD_DIVERGED_PROGRAM_ENDED,
	HD_DIVERGED_OTHER_OBJECT, /* the thread did so with other memory than the goal's events before it */
};

enum hd_thread_state {
	HD_TS_RUNNING = 1,
	HD_TS_RUNNABLE,
	HD_TS_MUTEX, /* from here on: waits for … */
	HD_TS_RWLOCK_READ,
	HD_TS_RWLOCK_WRITE,
	HD_TS_SPIN,
	HD_TS_COND,
	HD_TS_BARRIER,
	HD_TS_SEM,
	HD_TS_ONCE,
	HD_TS_JOIN,
	HD_TS_FUTEX,
	HD_TS_SLEEP,
	HD_TS_IO,
	HD_TS_SIGNAL,
	HD_TS_CHILD,
	HD_TS_FILE,
	HD_TS_FINISH,
	HD_TS_FUTURE,
	HD_TS_PHASER,
	HD_TS_ISOLATED,
	HD_TS_MAILBOX,
	HD_TS_OMP_LOCK,
	HD_TS_ASSUMPTION, /* nothing: what the program assumes does not hold */
	HD_TS_TEAM,	  /* OpenMP: for the rest of its team, at a barrier ... */
	HD_TS_TASKS,	  /* ... for tasks: at a taskwait, the end of a taskgroup */
	HD_TS_EVENT,	  /* ... for the event of a detached task */
	HD_TS_TURN,	  /* ... for an earlier iteration */
	HD_TS_SINGLE,	  /* ... for a single block, and what it copies */
	HD_TS_LIMIT
};

/*
 * A phase of a phaser is an object of its own, since signallers run ahead of those that wait: the
 * phaser's address plus its number modulo this. The later of two phases that share one is after
 * the earlier as it is, so only a signaller that runs ahead farther is taken to be before a wait
 * that it is not before. A phaser is at least that large.
 */
#define HD_PHASER_SPAN 256

/*
 * arg of PHASER_SIGNAL and PHASER_WAIT at a barrier of an OpenMP team, whose tasks all are in the
 * finish of its region (see analysis/tasks/task_steps.c). Beside its threads, every explicit task
 * signals the barrier that its end is before.
 */
enum hd_team_phase {
	HD_TEAM_BARRIER = 0x100,
	HD_TEAM_TASK,
	HD_TEAM_LAST, /* the end of the region */
};

struct hd_event {
	uint64_t addr;
	uint64_t value;
	uint64_t value2;
	uint64_t pc;	 /* the call's return address; 0: unknown */
	uint32_t ctx;	 /* calling context, see trace_reader.h; 0: none */
	uint32_t thread; /* 1 is the first */
	uint32_t size;	 /* bytes accessed; 0 where it does not apply */
	uint16_t arg;
	uint8_t op; /* enum hd_op */
};

#endif
