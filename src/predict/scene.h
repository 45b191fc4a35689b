/*
 * What the solver looks at: the part of a run around a goal, numbered for itself.
 *
 * Its nodes are the operations of a window that may be executed, thread by thread. A scene is one
 * of two:
 * - *strict*: what comes before the window is as observed, what comes after it does not happen.
 *   A schedule for it is one for the run.
 * - *open*: of what is outside the window nothing is known but the order of each thread, and
 *   whatever it might do for a node it may do. If there is no schedule even then, the run has none.
 * Of the whole run, both are the same.
 */
#ifndef HD_PREDICT_SCENE_H
#define HD_PREDICT_SCENE_H

#include "order_graph.h"
#include "prepare.h"

/* A critical section. */
struct hd_section {
	uint32_t lock, thread; /* of the scene */
	uint32_t acquire;      /* HD_NO_NODE: held from the start. Open: the thread's first node */
	uint32_t release;      /* HD_NO_NODE: it is not given back */
	bool shared;
	bool from_start;
};

struct hd_scene {
	const struct hd_prepared *p;
	const struct hd_step_goal *goal;
	size_t first, end; /* steps of the window */
	bool open;
	bool impossible; /* the goal contradicts itself */
	uint32_t n;	 /* nodes */
	uint32_t nthreads;
	uint32_t *thread_of;	   /* of each thread of the run, HD_NOWHERE: it has no nodes */
	uint32_t *from;		   /* of each thread: its first node; one more for the end */
	uint32_t *base;		   /* of each thread: the position of its first node */
	uint32_t *global;	   /* of each thread: its number in the run */
	bool *goes_on;		   /* of each thread: it may do more after the window */
	uint32_t *thread, *object; /* of each node, in the scene's numbers */
	const struct hd_operation **op;
	uint32_t *node_at; /* the nodes in the observed order */
	uint32_t nlocations;
	uint32_t *location;		/* of each location: its number in the run */
	uint64_t *value;		/* of each location at the start (strict) */
	uint32_t *writes, *writes_from; /* nodes that write each location, as observed */
	uint32_t nlocks;
	uint32_t *lock; /* of each lock: its number in the run */
	struct hd_section *sections;
	uint32_t nsections;
	uint32_t *section_of; /* of each ACQUIRE */
	uint32_t nsemaphores;
	uint32_t *semaphore; /* of each semaphore: its number in the run */
	uint32_t *permits;   /* of each semaphore at the start (strict) */
	/* The goal: */
	uint32_t *must; /* nodes that are executed */
	size_t nmust;
	uint32_t order[HD_STEP_GOAL_MAX]; /* nodes, one after the other */
	size_t norder;
	/* Of each thread: a read that may see any value unless @passed is executed (HD_NO_NODE) */
	uint32_t *loose, *passed;
};

/*
 * Make the scene of the steps from @first to @end. What of the goal is outside an open one is not
 * asked for. Free with hd_scene_free(), also when it failed. HD_ERR_INVALID: the goal names
 * what is not there.
 */
enum hd_err hd_scene_make(struct hd_scene *s, const struct hd_prepared *p,
			  const struct hd_step_goal *goal, size_t first, size_t end, bool open,
			  struct hd_errbuf *eb);
void hd_scene_free(struct hd_scene *s);

/* Is all that matters for locks and semaphores known? */
static inline bool hd_scene_is_closed(const struct hd_scene *s)
{
	return !s->open || (s->first == 0 && s->end == s->p->in->nsteps);
}

/* The node at @position of thread @t of the run, HD_NO_NODE: it is not in the scene. */
uint32_t hd_scene_node(const struct hd_scene *s, uint32_t t, uint32_t position);

/* Positions of thread @t that were done before step @step. */
uint32_t hd_position_at(const struct hd_prepared *p, uint32_t t, size_t step);

#endif
