/*
 * OpenMP on fibers: what the files of this folder share.
 *
 * libheddle answers the calls that gcc makes of OpenMP constructs (GOMP_*) and programs make
 * themselves (omp_*). The runtime's ground rules (runtime/rt.h) hold: one fiber runs at a time, and
 * a switch happens only in hd_rt_point() and hd_rt_block(), so what lies between two of
 * them is atomic.
 *
 * A *thread* of a team is what the specification calls so: it has thread-local variables, a number,
 * and runs one task at a time. A *task* is a fiber, so it has a number of its own in the trace and
 * a stack of its own. The implicit task of thread 0 is the fiber that met the region; those
 * of the others are light fibers on hosts that the pool keeps from one region to the next, with
 * what is in their thread-local variables. An explicit task is a light fiber that borrows the
 * thread pointer of the thread it runs on; that thread's other tasks stand still meanwhile.
 *
 * In the trace a region is a finish around the spawns of its implicit tasks. Barriers of the team are
 * phases of a phaser at the team's address (events.def): what the analysis of tasks makes of them is in
 * analysis/tasks/task_steps.c.
 */
#ifndef HD_OPENMP_OMP_RT_H
#define HD_OPENMP_OMP_RT_H

#include "runtime/fiber/light.h"
#include "runtime/memory/arena.h"
#include "runtime/rt.h"

struct omp_task;
struct omp_team;
struct omp_work;

/* Which part of a construct is not known: see CONSTRUCT in trace/events.def. */
#define HD_OMP_NO_PART UINT64_MAX

enum omp_sched { OMP_RUNTIME, OMP_STATIC, OMP_DYNAMIC, OMP_GUIDED, OMP_AUTO };
#define OMP_MONOTONIC 0x80000000u
/* In a number of threads: the program asks for as many, whatever an `if` says (cc/omp_pragmas.c). */
#define OMP_EXACTLY 0x40000000u

/* Internal control variables that a task inherits from its parent. */
struct omp_icv {
	unsigned nthreads; /* for the next region */
	unsigned sched;	   /* enum omp_sched, perhaps with OMP_MONOTONIC */
	int chunk;
	int max_active;
	int default_device;
	int nteams, teams_thread_limit;
	unsigned thread_limit;
	uint8_t bind;
	bool dyn;
	bool threads_set, levels_set; /* nthreads and max_active are the program's own wish */
};

/* What outlives a region: the host of a thread, and the threads that it may be the master of. */
struct omp_pool {
	struct fiber *host;
	struct omp_pool **below;
	unsigned nbelow;
	/* Belongs to the thread, and is its task's while one runs. */
	struct hd_fiber_tsd tsd;
	struct hd_tls_dtor *tls_dtors;
};

struct omp_thread {
	struct omp_team *team;
	unsigned num;
	struct omp_pool *pool;
	struct omp_task *implicit;
	struct omp_task *top; /* the task that it runs, or that stands still on it last */
	uintptr_t fs;
	bool idle;	       /* top waits where the thread may take a task */
	uint64_t works;	       /* worksharing constructs that it has met */
	struct omp_work *work; /* the one that it is in */
	uint64_t at, end;      /* of its part of a loop: what it has not been given yet */
	uint64_t round;	       /* static: chunks that it has had */
	uint64_t iteration;    /* of an ordered loop: the first of its present chunk ... */
	uint64_t iterations;   /* ... and how many are left in that */
	uint64_t unit;	       /* number of the construct whose units it runs; 0: none */
	bool in_unit;
	bool marked;  /* what it does may depend on which thread it is */
	int own_lock; /* an object of the trace: tasks that know their thread's number */
};

struct omp_ended {
	uint32_t id;
	struct omp_group *group;
};

/* Tasks that have ended and wait for somebody's JOIN. */
struct omp_joins {
	struct omp_ended *at;
	uint32_t n, cap;
};

struct omp_group { /* a taskgroup */
	struct omp_group *outer;
	uint64_t number; /* of its finish */
	uint32_t pending;
	bool cancelled;
	bool ended; /* nobody waits in it any more; goes away with its last task */
	struct omp_joins joins;
	uintptr_t *reductions;
	struct omp_task *owner;
};

/* As in CONSTRUCT, trace/events.def. */
struct omp_told {
	uint16_t construct;
	uintptr_t place, region;
	uint64_t part;
};

enum omp_kind { OMP_IMPLICIT, OMP_EXPLICIT, OMP_INCLUDED };

struct omp_task {
	enum omp_kind kind;
	struct fiber *fiber; /* NULL: ended */
	struct omp_thread *thread;
	struct omp_team *team;
	struct omp_task *parent;
	struct omp_task *under; /* what stood on the thread when it began */
	struct omp_icv icv;
	uint32_t refs;	   /* itself, its children */
	uint32_t depth;	   /* how many are above it */
	uint32_t children; /* that have not ended */
	struct omp_joins joins;
	struct omp_group *group; /* the innermost that it is in; what it makes is */
	struct omp_group *home;	 /* the one that it was made in */
	uint64_t finish;	 /* open since the first task after the last taskwait; 0: none */
	struct omp_group *finish_group; /* the innermost taskgroup when it was opened */
	bool loose; /* tasks below it may outlive it, or a child that it waited for */
	bool loose_child;
	bool asked; /* it knows its thread's number */
	bool final, untied, waits, began, in_barrier, over;
	bool may_skip;		   /* the barrier that it is in, if the region is cancelled */
	struct omp_told own, told; /* what it is a part of; that, or the construct that it is in */
	struct omp_lanes *lanes;   /* of the simd loop that it is in; NULL: none */
	bool scan_by_thread; /* the program knew its thread before its last loop with `inscan` */
	bool (*done)(struct omp_task *t); /* waits: for this */
	struct omp_task *awaited;	  /* waits: until this has begun */

	/* Explicit ones. */
	void (*fn)(void *);
	char *arg;
	char *block; /* that arg lies in */
	size_t block_size;
	struct omp_task *next_ready, **prev_ready;
	bool held; /* there was a time when it was ready and no thread could take it */
	int priority;
	struct omp_deps *deps;	  /* of its children: omp_depend.c */
	struct omp_done **before; /* what it depends on */
	uint32_t nbefore, cap_before, unmet;
	struct omp_place **alone; /* mutexinoutset: what nobody else may have meanwhile */
	uint32_t nalone, cap_alone;
	struct omp_done *own_done; /* its end, for those that depend on it */
	struct omp_event *detach;
};

#define OMP_CLAIMS 256u

struct omp_team {
	char span[HD_PHASER_SPAN]; /* phases as objects of the trace */
	char claims[OMP_CLAIMS];   /* worksharing constructs, in turn, as objects of the trace */
	struct omp_team *outer;	   /* around it */
	struct omp_thread *master; /* of it: who met the region, as a member of the outer one */
	struct omp_task *parent;   /* what met it */
	unsigned n;
	unsigned level, active_level;
	struct omp_thread *threads;
	uint64_t finish, first_phase; /* numbers of its two finishes */
	uint64_t phase;
	unsigned arrived;
	unsigned running; /* members besides thread 0 that have not ended */
	uint32_t tasks;	  /* explicit ones that have not ended */
	struct omp_task *ready, **ready_tail;
	uint32_t nready;
	unsigned idle; /* threads that are */
	struct omp_joins joins;
	struct omp_work *works;
	struct omp_work *first_work; /* of a combined construct */
	uint64_t singles;
	bool sole; /* one thread, as the program will have it: nothing in it is parallel */
	bool cancelled;
	bool work_cancelled;
	void (*fn)(void *);
	void *data;
	enum hd_construct construct;
	uintptr_t *reductions;
	unsigned team_num, nteams;   /* of a league */
	uintptr_t own_low, own_high; /* of thread 0's stack: what the region uses */
	struct hd_fiber_tls tls;     /* as they were for its fiber before */
	uintptr_t pc;		     /* where the region is */
	uint32_t ctx;
};

/* ---- omp_team.c ------------------------------------------------------------ */

/*
 * The calling fiber's innermost task, made for it where there is none yet; NULL: the runtime is not in
 * charge, do without teams.
 */
struct omp_task *hd_omp_enter(uintptr_t caller);
void hd_omp_fork(struct omp_task *me, void (*fn)(void *), void *data, unsigned nthreads,
		 enum hd_construct construct, uintptr_t *reductions, struct omp_work *work);
void hd_omp_join(struct omp_task *me);
/* A whole region: fork, @fn as the first of its threads, join. */
static inline void hd_omp_parallel(struct omp_task *me, void (*fn)(void *), void *data,
				   unsigned nthreads, enum hd_construct construct,
				   struct omp_work *work)
{
	struct fiber *f = me->fiber;

	hd_omp_fork(me, fn, data, nthreads, construct, NULL, work);
	fn(data);
	hd_omp_join(f->omp);
}

/* @t is what @th does, on @f, when it carries out no other task; it has begun. */
static inline void hd_omp_implicit(struct omp_task *t, struct omp_thread *th, struct fiber *f)
{
	t->thread = th;
	t->team = th->team;
	t->fiber = f;
	t->began = true;
}

struct omp_task *hd_omp_new_task(struct omp_task *parent, enum omp_kind kind);
void hd_omp_unref(struct omp_task *t);
/* The analysis of tasks begins, if it is wanted and has not begun. */
void hd_omp_watch(void);
uint64_t hd_omp_number(void); /* of a finish */
/* The trace learns which construct @me is in from now on ... */
void hd_omp_tell(struct omp_task *me, struct omp_told what);
/* ... that it is back in @me->told. */
void hd_omp_tell_again(const struct omp_task *me);
/* What the compiler made of a construct's body begins at the pragma's line. */
static inline uintptr_t hd_omp_place_of(void (*fn)(void *))
{
	return (uintptr_t)fn + 1; /* as if it had been called from there */
}
/* Memory that the program sees as an object of its own. */
void *hd_omp_object(size_t size);
/* The same for arguments of a task, not cleared. */
void *hd_omp_args(size_t size);
void hd_omp_args_free(void *p, size_t size);

/* ---- omp_barrier.c ------------------------------------------------------------- */

void hd_omp_barrier(struct omp_task *me, bool last);
/* The same, but a thread that cancels the region opens it at once. */
void hd_omp_barrier_cancellable(struct omp_task *me);
void hd_omp_barrier_cancel_all(struct omp_team *team);
/* Does the barrier that the team is at open now? */
void hd_omp_barrier_look(struct omp_team *team);

/* ---- omp_wait.c ------------------------------------------------------------- */

/* Stand still until @done; the thread may run other tasks meanwhile. */
void hd_omp_wait(struct omp_task *me, bool (*done)(struct omp_task *t), bool barrier);
/* Something that @t may wait for has happened. */
void hd_omp_poke(struct omp_task *t);
/* A thread has become idle or stopped being so, a task ready or begun. */
void hd_omp_offer(struct omp_team *team);
bool hd_omp_may_take(const struct omp_thread *th, const struct omp_task *t);
void hd_omp_busy(struct omp_thread *th);
/* The task on top of it has ended: the one below goes on, or waits for more. */
void hd_omp_unidle(struct omp_thread *th);
void hd_omp_make_ready(struct omp_task *t);
void hd_omp_unready(struct omp_task *t);
void hd_omp_note_ended(struct omp_joins *j, uint32_t id, struct omp_group *group);
void hd_omp_joins_move(struct omp_joins *from, struct omp_joins *to);
/* JOIN events; @group: only for its tasks. */
void hd_omp_join_all(struct omp_joins *j, const struct omp_group *group, bool all);
void hd_omp_open_finish(struct omp_task *me);
void hd_omp_close_finish(struct omp_task *me, bool waited);
void hd_omp_taskwait(struct omp_task *me);
void hd_omp_group_begin(struct omp_task *me);
void hd_omp_group_end(struct omp_task *me);

/* ---- omp_task.c -------------------------------------------------------------- */

enum {
	OMP_TASK_UNTIED = 1,
	OMP_TASK_FINAL = 2,
	OMP_TASK_MERGEABLE = 4,
	OMP_TASK_DEPEND = 8,
	OMP_TASK_PRIORITY = 16,
	OMP_TASK_UP = 256,
	OMP_TASK_GRAINSIZE = 512,
	OMP_TASK_IF = 1024,
	OMP_TASK_NOGROUP = 2048,
	OMP_TASK_REDUCTION = 4096,
	OMP_TASK_DETACH = 8192,
	OMP_TASK_STRICT = 16384,
};

struct omp_new_task {
	void (*fn)(void *);
	void *data;
	void (*copy)(void *, void *);
	long size, align;
	bool if_clause;
	unsigned flags;
	void **depend;
	int priority;
	void *detach;
	enum hd_construct construct; /* HD_IN_NONE: task */
};

void hd_omp_task(struct omp_task *me, const struct omp_new_task *what,
		 void (*prepare)(void *args, void *arg), void *arg);
/* Its body is over, and its event fulfilled if it has one. */
void hd_omp_task_over(struct omp_task *t);
bool hd_omp_is_cancelled(const struct omp_task *t);
/* Before looking whether somebody has cancelled something: the explorer is told. */
void hd_omp_look_cancelled(const struct omp_task *me);

/* ---- omp_depend.c -------------------------------------------------------------- */

/* Register what @t depends on among its siblings; t->unmet says how many must end first. */
void hd_omp_depend(struct omp_task *t, void **depend);
/* At its beginning: the trace learns what came before; locks of mutexinoutset are taken. */
void hd_omp_depend_begin(struct omp_task *t);
void hd_omp_depend_end(struct omp_task *t);
/* It has a thread: take what it needs alone. */
void hd_omp_depend_take(struct omp_task *t);
void hd_omp_depend_wait(struct omp_task *me, void **depend);
void hd_omp_deps_free(struct omp_task *t);
/* May it begin, as far as mutexinoutset goes? */
bool hd_omp_depend_free(const struct omp_task *t);

/* ---- omp_loop.c ---------------------------------------------------------------- */

struct omp_loop {
	bool is_ull, up;
	uint64_t start, end, incr;
	unsigned sched;
	int64_t chunk;
	bool ordered;
	unsigned ndims; /* doacross */
	const uint64_t *counts;
};

struct omp_work *hd_omp_loop_work(struct omp_task *me, const struct omp_loop *l);

/* ---- omp_work.c ---------------------------------------------------------------- */

struct omp_work {
	struct omp_work *next;
	uint64_t seq;
	unsigned left; /* threads that have left it */
	bool ready;    /* by whoever came first */
	enum hd_construct construct;
	uintptr_t place; /* of its pragma */
	/* Loops. */
	uint64_t start, incr, n;
	uint64_t chunk;
	uint64_t at; /* dynamic, guided: the next iteration */
	unsigned sched;
	bool ordered, whole; /* whole: a thread's iterations are not told apart */
	bool concurrent;     /* they are, on whatever thread */
	/* Ordered: the next iteration whose turn it is. */
	uint64_t turn;
	char *turn_object;
	/* Doacross. */
	unsigned ndims;
	uint64_t *counts;
	struct omp_posts *posts;
	/* Sections. */
	unsigned sections;
	uint64_t given;
	/* Single. */
	unsigned winner;
	bool copied;
	void *copy;
	char *copy_object;
	/* Memory for conditional lastprivate and scans; task reductions. */
	void *memory;
	size_t memory_size;
	uintptr_t *reductions;
};

/* The construct that @me meets next; *@first if nobody has met it yet. */
struct omp_work *hd_omp_work_enter(struct omp_task *me, bool *first);
void hd_omp_work_leave(struct omp_task *me);
void hd_omp_works_free(struct omp_team *team);

/*
 * The point before a thread takes the next part of what a team shares. In runs where threads go on for
 * long, it lets others have theirs: from what one thread did all alone little can be predicted.
 */
void hd_omp_claim_point(void);
/* Part @part was taken, or (not @there_is) there is none any more. */
bool hd_omp_claim(const struct omp_team *team, const struct omp_work *w, uint64_t part,
		  bool there_is);
void hd_omp_posts_free(struct omp_work *w); /* omp_ordered.c */
bool GOMP_barrier_cancel(void);
void hd_omp_work_memory(struct omp_task *me, struct omp_work *w, void **mem, bool first);

/* ---- omp_reduction.c -------------------------------------------------------------- */

void hd_omp_reductions_share(struct omp_task *me, struct omp_work *w, uintptr_t *data, bool first);
void hd_omp_reductions_register(uintptr_t *data, uintptr_t *older, unsigned nthreads);
void hd_omp_reductions_unregister(uintptr_t *data);
/* For the taskgroup that @me has just begun. */
void hd_omp_group_reductions(struct omp_task *me, uintptr_t *data);

/* ---- omp_icv.c ------------------------------------------------------------------- */

void hd_omp_icv_init(struct omp_icv *icv);
size_t hd_omp_stack_size(void);
/* Threads of a region met at nesting level @level; @now: what applies outside of it. */
unsigned hd_omp_nthreads_at(unsigned level, unsigned now);
bool hd_omp_cancellation(void);
extern unsigned hd_omp_thread_limit;

#endif
