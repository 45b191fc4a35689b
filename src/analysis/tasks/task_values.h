/*
 * Order that values make.
 *
 * Locks exclude, they do not order: which of two critical sections comes first is up to the
 * schedule. But who reads in one what another task wrote in the other may do what it does next only
 * because of that value: it polled a flag, or it is the last one to arrive at a counter. What the
 * writer did before is then before what the reader does next, in every schedule in which the reader
 * gets there. Whether the value mattered cannot be known from the run. So such pairs of accesses are
 * *doubtful*: they are told as such, and it takes a run in another order to decide them.
 *
 * A value is read where an atomic read, or READ without HD_ACCESS_IDLE, finds, under a lock, what a step that
 * is parallel by the tree wrote while it held the same lock. A lock that is handed over counts as
 * a value, too: it was taken in a step that is over by now, was given back in a later one, and so
 * whoever takes it next comes after that.
 *
 * Time within a step is counted in *moments*: a task's moment changes when it gives a lock back
 * after writing under it, and when it learns something.
 */
#ifndef HD_ANALYSIS_TASK_VALUES_H
#define HD_ANALYSIS_TASK_VALUES_H

#include "task_locks.h"
#include "task_steps.h"

/* Of a task that is not over. */
struct hd_values_now {
	uint32_t moment;
	uint32_t known;		 /* a set of points; 0: nothing */
	uint32_t before, behind; /* before the units that it is in; for what comes behind them */
	bool in_units;
	uint64_t added_to; /* it has read there, idly, in this critical section; 0: nothing */
	bool wrote;	   /* under a lock that it has not given back */
};

/* Zero-initialise with hd_values_init(). */
struct hd_values {
	struct hd_addr_map written; /* address / 4 + 1 -> who wrote there under a lock last */
	struct hd_addr_map handed;  /* lock -> how it was taken and given back last */
	struct hd_addr_map passed;  /* future, phaser -> what those knew who came there */
	struct hd_intern sets;	    /* of points */
	struct hd_map log_of;	    /* number of a task -> its place in logs, + 1 */
	struct hd_values_log *logs; /* what each task knew, and since when */
	size_t nlogs, logs_room;
	struct hd_values_point *scratch;
	size_t scratch_room;
	uint64_t learnt; /* how often anything was */
	bool failed;
};

void hd_values_init(struct hd_values *v);
void hd_values_free(struct hd_values *v);

/* @t makes an access of @len bytes under the locks of @log; reads count from the next access on. */
void hd_values_access(struct hd_values *v, struct hd_steps *s, struct hd_task *t,
		      struct hd_values_now *now, const struct hd_lock_log *log,
		      const struct hd_event *ev, uint64_t len, bool write);

/* @t has taken or given back a lock. */
void hd_values_lock(struct hd_values *v, struct hd_steps *s, struct hd_task *t,
		    struct hd_values_now *now, const struct hd_event *ev);

/* The number of the task that holds a lock that somebody else gives back now; 0: none. */
uint32_t hd_values_holder(const struct hd_values *v, uint64_t lock);

/* What else goes from task to task: the beginnings and ends of tasks and units. */
void hd_values_event(struct hd_values *v, struct hd_steps *s, struct hd_task *t,
		     struct hd_values_now *now, const struct hd_event *ev);

/* The memory was given out or back. */
void hd_values_forget(struct hd_values *v, uint64_t addr, uint64_t len);

/* Was what @a did by its moment @am before what @b did from its moment @bm on, by values? */
bool hd_values_before(struct hd_values *v, struct hd_steps *s, hd_dpst_id a, uint32_t am,
		      hd_dpst_id b, uint32_t bm);

#endif
