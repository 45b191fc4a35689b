/*
 * The tasks of a run by number: those that run, and what is kept of those that are over.
 *
 * There may be millions of tasks of which few run at a time. What one that runs needs (struct hd_task) goes
 * when it is over; which it was, who made it and in which construct it was stays, as reports name it. Should
 * something come of such a task all the same (it is joined beside the tree) it lives again.
 */
#ifndef HD_ANALYSIS_TASK_TABLE_H
#define HD_ANALYSIS_TASK_TABLE_H

#include "analysis/slab.h"
#include "analysis/within_log.h"
#include "common/map.h"
#include "task_known.h"

struct hd_task {
	uint32_t thread, number; /* in events; here, from 1 */
	hd_dpst_id root, at;	 /* its ASYNC (or the root); the innermost open node */
	hd_dpst_id base;   /* root; of a thread of a team, its ASYNC in the team's present phase */
	hd_dpst_id step;   /* 0: none since the last construct */
	hd_dpst_id finish; /* the innermost finish around its creation */
	hd_known known;
	uint32_t level; /* of its next step: hd_knowns */
	bool over;
	bool young;	      /* nothing has happened in it but its beginning */
	hd_dpst_id pooled;    /* what is around the last POOL it left; 0: it took something since */
	hd_dpst_id pool_part; /* the outermost open finish or task around its POOLs; 0: none */
	uint32_t units;	      /* constructs with units that it is in */
	hd_dpst_id took; /* nodes that there were when it last took something outside of units */
	struct hd_within_log within; /* by node */
	uint32_t *joined;	     /* tasks that it has joined since its last step */
	size_t njoined, joined_room;
};

struct hd_task_record {
	struct hd_task *live; /* NULL: it is over, and what follows `ctx` is of its end */
	uint64_t pc;	      /* where it was made */
	uint32_t thread;
	hd_dpst_id root;
	uint32_t parent; /* the thread that created it; 0: nobody known */
	uint32_t ctx;
	hd_known known;
	uint32_t level;
	uint32_t within_from, construct; /* the only run of its log; construct 0: it is empty */
	uint64_t part;
};

struct hd_task_table {
	struct hd_slab records; /* by number */
	uint32_t *number_of;	/* thread -> number, where threads are numbered from 1 on ... */
	size_t numbers_room;
	struct hd_map far_number_of; /* ... and where they are not */
};

bool hd_task_table_init(struct hd_task_table *t);
void hd_task_table_free(struct hd_task_table *t);

/* The number of the task of @thread; 0: there is none yet. */
uint32_t hd_task_table_number(const struct hd_task_table *t, uint32_t thread);

/* All numbers are below this one. */
static inline uint32_t hd_task_table_end(const struct hd_task_table *t)
{
	return t->records.used;
}

static inline struct hd_task_record *hd_task_record(const struct hd_task_table *t, uint32_t number)
{
	return hd_slab_at(&t->records, number);
}

/* A new one; NULL: out of memory. It stays where it is for as long as it lives. */
struct hd_task *hd_task_table_add(struct hd_task_table *t, uint32_t thread, hd_dpst_id root);

/* The task of @number; where it was over, it lives again. NULL: out of memory. */
struct hd_task *hd_task_table_get(struct hd_task_table *t, uint32_t number,
				  const struct hd_dpst *tree);

/* @task is over, and nobody has it in hand: keep the record alone, if that says all. */
void hd_task_table_retire(struct hd_task_table *t, struct hd_task *task);

/* The task whose node is @root; 0: none. */
uint32_t hd_task_table_at(const struct hd_task_table *t, hd_dpst_id root);

/* Where in its constructs task @number was at node @when. */
struct hd_within hd_task_table_within(const struct hd_task_table *t, uint32_t number,
				      const struct hd_intern *constructs, hd_dpst_id when);

#endif
