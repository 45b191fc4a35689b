/*
 * A prediction problem: a run (or a window of one), and a goal that another order
 * of the same events should reach.
 *
 * Threads, locations and locks are numbered densely from 0. Positions are indices
 * into steps, which are in the observed order.
 */
#ifndef HD_PREDICT_INSTANCE_H
#define HD_PREDICT_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

enum hd_step_kind {
	HD_STEP_READ, /* object: location */
	HD_STEP_WRITE,
	HD_STEP_ACQUIRE, /* object: lock */
	HD_STEP_RELEASE,
	HD_STEP_FORK, /* object: thread */
	HD_STEP_JOIN,
	HD_STEP_BEGIN, /* of a block; object unused */
	HD_STEP_END,
	HD_STEP_OTHER, /* orders nothing; there because a goal may name it (alloc, free) */
	HD_STEP_POST,  /* object: semaphore; one permit more */
	HD_STEP_DOWN,  /* takes a permit, which has to be there */
	HD_STEP_FAIL,  /* object: lock; a try that finds it held (shared: held for writing) */
};

struct hd_step {
	uint8_t kind; /* enum hd_step_kind */
	bool shared;  /* ACQUIRE, RELEASE, FAIL: a read lock */
	uint32_t thread;
	uint32_t object;
	uint64_t value; /* READ, WRITE */
	uint64_t index; /* number of the event in the trace */
	bool added;	/* not the event's own doing: there to say what must hold around it */
	bool firm; /* READ: of synchronisation, not of memory: at the goal, too, it sees its value */
	bool assumed; /* READ: stands for an order that need not be so, see hd_step_goal */
};

struct hd_instance {
	struct hd_step *steps;
	size_t nsteps;
	uint32_t nthreads, nlocations, nlocks;
	uint64_t *init; /* value of each location before the first step */
	uint32_t nsemaphores;
	uint32_t *permits; /* of each semaphore before the first step; NULL: none */
};

#define HD_STEP_GOAL_MAX 16

/*
 * What is looked for: a prefix per thread in which every read sees the value that it saw
 * (unless it is at the goal), locks are respected, threads run after their fork and
 * before their join, and then
 * - the steps of @order happen, in this order (others may come in between), and
 * - the steps of @next are each the next of their thread at the end, all at once, not executed;
 *   these threads have been forked.
 *
 * An atomicity pattern is order = { e1, f, e2 }; a race is next = { a, b }; a
 * deadlock is next = the acquires that wait for each other (they need not be enabled).
 * Reads that are the last of @order for their thread, or in @next, may see any value;
 * once a thread has executed such a read with another value, it goes no further (and is
 * not joined).
 *
 * With @open_end the last of @order need not happen: it is enough that it has not happened
 * when the others have. A pattern { e1, f, e2 } is torn by then, whatever becomes of e2.
 *
 * With @ignore_values reads that are not firm may see any value wherever they are, and their
 * threads go on: such a schedule respects locks, forks, joins and other synchronisation, but the
 * program may leave it.
 *
 * Reads that are *assumed* stand for an order of synchronisation that was observed and is kept
 * because the real rule cannot be said. With @ignore_assumed they see what they like: then more may
 * be possible than in reality, but nothing less, so that "infeasible" is a proof.
 */
struct hd_step_goal {
	uint32_t order[HD_STEP_GOAL_MAX];
	size_t norder;
	uint32_t next[HD_STEP_GOAL_MAX];
	size_t nnext;
	bool open_end;
	bool ignore_values;
	bool ignore_assumed;
};

enum hd_answer {
	HD_FEASIBLE,   /* a schedule was found, and the validator believes it */
	HD_INFEASIBLE, /* proved: there is none */
	HD_UNDECIDED,  /* a budget ran out, or the proof rests on what is only assumed */
};

/* Has a read to see its value, at least if its thread goes on? */
static inline bool hd_read_counts(const struct hd_step_goal *goal, bool firm, bool assumed)
{
	return !(goal->ignore_values && !firm) && !(goal->ignore_assumed && assumed);
}

/* The reason of HD_UNDECIDED where a proof would rest on what is assumed. */
#define HD_WHY_ASSUMED "the observed order of synchronisation, which is assumed"

struct hd_solution {
	enum hd_answer answer;
	/* HD_FEASIBLE: the first @observed steps as they were, then @steps: positions in the run. */
	size_t observed;
	uint32_t *steps;
	size_t nsteps;
	/*
	 * HD_UNDECIDED: there is no schedule that keeps to what is assumed (struct hd_step_goal), but
	 * there are others, and steps is one of them. The program may leave it.
	 */
	bool beyond_assumed;
	const char *why; /* HD_UNDECIDED: which budget; HD_INFEASIBLE: what settled it */
	double seconds;
	uint64_t states; /* that the search went through */
	/*
	 * HD_FEASIBLE: the steps before window_first are as observed, those from window_end on
	 * are left out. HD_INFEASIBLE: the whole run, always. HD_UNDECIDED: the largest window
	 * in which there is proved to be no schedule; empty if there is no such proof.
	 */
	size_t window_first, window_end;
};

void hd_instance_free(struct hd_instance *in);
void hd_solution_free(struct hd_solution *s);

#endif
