/*
 * The dynamic program structure tree of a task program: what may run in parallel in some
 * schedule, whatever the one at hand did.
 *
 * Inner nodes are tasks (ASYNC: runs beside what its parent does next) and scopes that wait for
 * all tasks made in them (FINISH); leaves are STEPs, stretches of one task without task
 * constructs. Children of a node are made by one task, in its order, so that of two siblings the
 * one with the smaller number is the left one. Two steps are parallel iff the child of their
 * lowest common ancestor towards the left one is an ASYNC. A SCOPE is a finish that turned out not to
 * wait: it is looked through. UNITs are parts of a task that could as well run beside each other:
 * siblings of this kind are parallel, and looked through otherwise. UNITs in a POOL could have been
 * anybody's in the team: they are also parallel to all that their task does outside of the pool, before and
 * behind it, up to the finish or task around. About memory that is the task's own (`own`) both are always looked
 * through.
 *
 * A node is 12 bytes and never moves by number. Besides its parent it knows an ancestor further
 * up (so far that walks to any depth take logarithmic time).
 */
#ifndef HD_ANALYSIS_DPST_H
#define HD_ANALYSIS_DPST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_dpst_kind {
	HD_DPST_FINISH,
	HD_DPST_ASYNC,
	HD_DPST_STEP,
	HD_DPST_SCOPE,
	HD_DPST_UNIT,
	HD_DPST_POOL
};

typedef uint32_t hd_dpst_id; /* from 1; 0: none, or out of memory */

#define HD_DPST_ROOT	1u
#define HD_DPST_NUMBERS (1u << 29) /* nodes are below it; beyond is out of memory */

struct hd_dpst_node {
	uint32_t parent, jump;
	uint32_t depth_kind; /* depth * 8 + kind; a depth from 2^29 on is out of memory */
};

/* Why two steps are parallel: as tasks; as those or as units; as of a pool and not. */
enum { HD_DPST_AS_TASKS = 1, HD_DPST_AS_UNITS = 2, HD_DPST_AS_POOLED = 4 };
#define HD_DPST_WHY                                                                                \
	3u /* bits for that; those above them: the depth of the lowest common ancestor */

/* An answer given before. */
struct hd_dpst_answer {
	hd_dpst_id a, b;
	uint32_t depth_why;
};

struct hd_dpst {
	struct hd_dpst_node *nodes;
	uint32_t count, room; /* nodes[0] is unused */
	struct hd_dpst_answer *cache;
	uint32_t cache_log; /* of its size */
	uint32_t scopes;    /* how often a finish turned out not to wait */
	uint32_t pools;
	uint64_t queries, walks; /* asked, and not answered by the cache */
	bool reserved;
	bool own; /* what is asked now is about memory of a task's own */
};

bool hd_dpst_init(struct hd_dpst *t); /* with the root, a FINISH; false: out of memory */
void hd_dpst_free(struct hd_dpst *t);
/* Nodes do not move from now on: other threads may read those that they know of. */
bool hd_dpst_reserve(struct hd_dpst *t);

hd_dpst_id hd_dpst_add(struct hd_dpst *t, hd_dpst_id parent, enum hd_dpst_kind kind);

static inline enum hd_dpst_kind hd_dpst_kind(const struct hd_dpst *t, hd_dpst_id n)
{
	return t->nodes[n].depth_kind & 7;
}

static inline uint32_t hd_dpst_depth(const struct hd_dpst *t, hd_dpst_id n)
{
	return t->nodes[n].depth_kind >> 3;
}

/* Finish @n did not wait for the tasks in it. */
void hd_dpst_make_scope(struct hd_dpst *t, hd_dpst_id n);

/* What of HD_DPST_AS_... makes steps parallel. */
static inline uint32_t hd_dpst_reasons(bool own)
{
	return own ? HD_DPST_AS_TASKS : HD_DPST_AS_UNITS | HD_DPST_AS_POOLED;
}

/* For steps. A step is not parallel to itself. */
bool hd_dpst_parallel(struct hd_dpst *t, hd_dpst_id a, hd_dpst_id b);
uint32_t hd_dpst_lca_depth(struct hd_dpst *t, hd_dpst_id a, hd_dpst_id b);
/* Must all of @a be over before @b begins, by the tree? Units of a pool count as their task's here. */
bool hd_dpst_before(struct hd_dpst *t, hd_dpst_id a, hd_dpst_id b);

/* struct hd_dpst_answer.depth_why, without the cache. */
uint32_t hd_dpst_find_out(const struct hd_dpst *t, hd_dpst_id a, hd_dpst_id b);

/* The lowest common ancestor and its children towards the steps; without the cache. */
struct hd_dpst_meeting {
	hd_dpst_id lca, towards_a, towards_b;
};
struct hd_dpst_meeting hd_dpst_meet(const struct hd_dpst *t, hd_dpst_id a, hd_dpst_id b);

/* The innermost ASYNC around @n; HD_DPST_ROOT for what the first thread does itself. */
hd_dpst_id hd_dpst_task(const struct hd_dpst *t, hd_dpst_id n);

#endif
