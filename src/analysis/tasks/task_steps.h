/*
 * From events to steps: which step of the tree (dpst.h) a thread is in, and which steps can run in
 * parallel in some schedule of the same tasks.
 *
 * A step ends where its task creates a task, opens or leaves a finish, joins, puts or gets a future,
 * signals or waits at a phaser or barrier, sends or receives a message, releases or acquires by an atomic, a
 * semaphore or a condition variable. Threads that are not tasks count as tasks that nobody's finish waits for.
 *
 * The tree knows async and finish only. Futures, promises, phasers, barriers and joins order
 * steps in every schedule of the same input as well; this order is kept beside the tree
 * (task_known.h). So is the order that semaphores, condition variables and acquire/release
 * atomics had in this run: in another schedule it may be another one, but to call steps parallel that
 * such a thing ordered would be a false report. Locks order nothing here.
 *
 * Barriers of an OpenMP team need no order beside the tree. The region is a finish R in which its
 * threads go through phases: each phase is a FINISH in R, with an ASYNC in it for what each thread does
 * up to the next barrier. The first phase is a finish that the trace has, too; the others
 * are made when a thread leaves a barrier. Iterations of a loop are UNITs, those of one that is given out as
 * threads come are a POOL, unless the thread took something before in this phase (a lock, an atomic, a semaphore)
 * that others who come to the loop may have waited for; and when it takes something behind the loop, that counts as
 * being behind its units.
 */
#ifndef HD_ANALYSIS_TASK_STEPS_H
#define HD_ANALYSIS_TASK_STEPS_H

#include "common/map.h"
#include "analysis/addr_map.h"
#include "dpst.h"
#include "task_owned.h"
#include "task_table.h"
#include "trace/event.h"

/*
 * Is a step over for who has a hd_known? The last answers; they hold while no finish turns out not to wait (scopes of the
 * tree). What a step learns goes into another hd_known, unless steps are no longer cut (BORROWED).
 */
#define HD_STEPS_AFTER_LOG 12
struct hd_steps_after {
	hd_known known; /* 0: none */
	hd_dpst_id step;
	uint32_t scopes;
	bool own, over;
};

struct hd_steps {
	struct hd_dpst tree;
	struct hd_steps_after after[1u << HD_STEPS_AFTER_LOG];
	struct hd_owned owned;	/* memory of threads' own */
	struct hd_map units_of; /* number of a construct with units, and thread -> its SCOPE */
	/* SCOPE -> hd_known at its beginning, for its end, at the beginning of its present unit. */
	struct hd_map known_before, known_behind, known_at;
	struct hd_intern constructs;
	struct hd_knowns knowns;
	struct hd_task_table tasks;
	/* Of finishes that have not ended, or not waited. */
	struct hd_map of_finish;    /* finish -> hd_known of tasks that ended in it */
	struct hd_map finishes;	    /* number of an event -> the node */
	struct hd_map live;	    /* finish -> tasks alive in it, plus 1 */
	struct hd_map phases;	    /* phaser and phase -> hd_known */
	struct hd_map next_phase;   /* of a team: FINISH -> the FINISH after it */
	struct hd_map first_phase;  /* FINISH -> the first of its team, where it is not that */
	struct hd_map part_of;	    /* ASYNC of a thread in a phase -> its number */
	struct hd_addr_map objects; /* what can be synchronised through */
	struct hd_task *latest;
	uint32_t ended; /* the task that was over last, by number; it may still be in hand */
	uint32_t top;	/* the highest level */
	uint64_t nsteps;
	uint64_t ordered;  /* operations that ordered tasks in a way the tree does not know ... */
	uint64_t borrowed; /* ... and those whose order is only known of this run */
	bool saw_tasks, fences;
	bool failed;
};

bool hd_steps_init(struct hd_steps *s);
void hd_steps_free(struct hd_steps *s);

/* The number of the task of @thread; 0: there is none yet. */
static inline uint32_t hd_steps_number(const struct hd_steps *s, uint32_t thread)
{
	return hd_task_table_number(&s->tasks, thread);
}

/* The task of @thread, made where it is new; NULL: out of memory. It stays where it is until it is over. */
struct hd_task *hd_steps_task(struct hd_steps *s, uint32_t thread);

/* Take note of @ev; plain accesses change nothing. False: out of memory. */
bool hd_steps_event(struct hd_steps *s, const struct hd_event *ev);

hd_dpst_id hd_steps_new_step(struct hd_steps *s, struct hd_task *t);

/* @t takes a lock, or something else that makes it wait for others. */
void hd_steps_take(struct hd_steps *s, struct hd_task *t);

/* The step that @t is in; 0: out of memory. */
static inline hd_dpst_id hd_steps_now(struct hd_steps *s, struct hd_task *t)
{
	return t->step ? t->step : hd_steps_new_step(s, t);
}

/* Can @a, seen before, and @b, a step in which some task is now, overlap in some schedule? */
bool hd_steps_parallel(struct hd_steps *s, hd_dpst_id a, hd_dpst_id b);
/* Must @a be over before @b by what the tree does not say? */
bool hd_steps_ordered_beside(struct hd_steps *s, hd_dpst_id a, hd_dpst_id b);

/* The step that task @number is in; 0: in none. */
static inline hd_dpst_id hd_steps_step_of(const struct hd_steps *s, uint32_t number)
{
	const struct hd_task *t = hd_task_record(&s->tasks, number)->live;

	return t ? t->step : 0;
}

/* The number of the task that @step belongs to; 0: of none. */
uint32_t hd_steps_task_of(const struct hd_steps *s, hd_dpst_id step);
/* The construct that it was in. */
struct hd_within hd_steps_within(const struct hd_steps *s, hd_dpst_id step);

#endif
