/*
 * The set of ways in which a program of timed_script.h can end, by its rules alone: every
 * interleaving, every time-out at every moment, whoever a signal may wake. Nothing of heddle is in it.
 */
#ifndef TIMED_MODEL_H
#define TIMED_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "timed_script.h"

enum how {
	ENDS,   /* the process ended: status; all that is known, if main has joined all others */
	STUCK,  /* everybody who has not ended waits for ever */
	CYCLE,  /* threads wait for each other, whatever the others do; no more is told */
	FAILS,  /* an assertion; of the threads, only what the one that failed knows is told */
	ABORTS, /* the same for abort() */
	OTHER,  /* for those who compare: what is no way to end at all */
};

struct outcome {
	unsigned char how, status, who;
	unsigned char sum[THREADS], at[THREADS];
	unsigned char atomics[OBJECTS];
	unsigned char guarded[OBJECTS]; /* of an orderly end; else 0 */
};

struct outcomes {
	struct outcome *list;
	size_t n, room;
	bool too_many; /* not all: the program is too large */
	bool loops;    /* there is an outcome STUCK in which somebody waits in a loop */
	bool blocks;   /* and one in which nobody does */
};

bool outcomes_have(const struct outcomes *o, const struct outcome *x);
void outcomes_add(struct outcomes *o, const struct outcome *x);
void enumerate(const char *program, struct outcomes *o);

/*
 * A process that ended while others could go on: how far they came makes no difference to anybody,
 * so there is the status, and what the one knows who has ended it, if the status tells who it was.
 */
static inline void forget_others(struct outcome *o)
{
	struct outcome less = { .how = o->how, .status = o->status, .who = o->status & 15 };

	less.sum[less.who] = o->status ? o->sum[less.who] : 0;
	less.at[less.who] = o->status ? o->at[less.who] : 0;
	*o = less;
}

#endif
