/*
 * Random small runs that could have happened: reads see what is in memory, locks are held by
 * one thread, blocks nest, threads act between their fork and their join.
 */
#ifndef HD_TEST_RANDOM_RUN_H
#define HD_TEST_RANDOM_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "common/rng.h"
#include "trace/event.h"

#define RANDOM_RUN_THREADS 8u
#define RANDOM_RUN_LOCKS   4u
#define RANDOM_RUN_MEMORY  0x10000u /* addresses of variables start here, at a page's start */
#define RANDOM_RUN_LOCK	   0x20000u /* of locks, 64 bytes apart */
#define RANDOM_RUN_OBJECT  0x30000u /* of other objects */

struct random_run {
	unsigned threads;   /* 1 .. RANDOM_RUN_THREADS */
	unsigned variables; /* of eight bytes, 8 bytes apart */
	unsigned locks;	    /* 0 .. RANDOM_RUN_LOCKS */
	unsigned events;    /* how many to make */
	bool forks;	    /* threads are forked by others (else all exist from the start) */
	bool blocks;
	bool long_blocks; /* blocks that seldom end: many are open at once */
	bool shared_locks;
	bool odd_sizes; /* accesses of 1 to 8 bytes at any byte of a variable */
	bool ranges;	/* reads and writes of ranges, some of whole pages */
	bool frees;	/* variables are freed and allocated anew (contents 0) */
	bool atomics;
	bool sync; /* semaphores, conditions, barriers, once, plain happens-before */
};

/* Make a run into @out, which has room for @rr->events. Returns the number of events. */
size_t random_run(struct hd_rng *rng, const struct random_run *rr, struct hd_event *out);

/* Options chosen at random: 2-4 threads, 1-3 variables, 1-2 locks, every feature now and then. */
struct random_run random_run_options(struct hd_rng *rng, unsigned max_events);

#endif
