/*
 * What the memory model keeps of a fiber: weak.c.
 */
#ifndef HD_RUNTIME_FIBER_WEAK_H
#define HD_RUNTIME_FIBER_WEAK_H

#include <stdbool.h>
#include <stdint.h>

#define HD_WEAK_OLDER  8
#define HD_WEAK_ROUNDS 8

struct hd_fiber_weak {
	uint32_t nth; /* atomic operations so far that may have a choice */
	/* Since it began to spin, or went round once more, it has read older values there, these last. */
	struct hd_fiber_older {
		uintptr_t at;
		int write;
	} older[HD_WEAK_OLDER];
	unsigned nolder;
	bool more; /* ... and elsewhere */
	/* It has been round a loop of older values: there it is not to read this one again; 0: nowhere. */
	uintptr_t due_at;
	int due_write;
	/* A compare-exchange there has failed for no reason since; 0: none. */
	uintptr_t failed_at;
	bool stale;	 /* its last read was one */
	uint32_t nstale; /* of all its reads so many, or it failed for no reason */
	bool once_more;	 /* it has been round a loop of these, and goes round again */
	bool moved; /* its last read was of a newer write than it knew of: no round without effect */
	/* For an explorer: where it was before each of its last reads, since it has done anything else. */
	struct {
		uint64_t state;
		uintptr_t addr;
		uint64_t value; /* that was the newest then */
		uint32_t size, nstale;
	} reads[HD_WEAK_ROUNDS];
	unsigned nreads, vain_from;
	bool in_vain; /* it stands where it was before the read vain_from, and read what was newest ever since */
	uint64_t deeds; /* before the last of them */
};

#endif
