/*
 * What an explorer knows of a fiber: what it will try next if it runs, and what it waited for last.
 */
#ifndef HD_RUNTIME_FIBER_EXPLORE_H
#define HD_RUNTIME_FIBER_EXPLORE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"

#define HD_LOOK_WAY   4
#define HD_LOOK_ROUND 8

/* What the memory order of an operation has to do with how far a look can be put off. */
enum hd_look_order { HD_LOOK_UNKNOWN, HD_LOOK_RELAXED, HD_LOOK_ACQUIRES };

/* The last look at a variable, that in a loop would be a wait: await.h. */
struct hd_fiber_look {
	uintptr_t pc, addr; /* pc 0: it was none, or has changed something */
	uint64_t state;	    /* hash, before it; 0: not computed */
	uint64_t value;	    /* that was found */
	uint64_t deeds;	    /* before it */
	uint64_t with;	    /* a digest of its operands */
	uint32_t size;
	/* What else it read since the look before, outside of its stack. */
	struct hd_look_way {
		uintptr_t addr[HD_LOOK_WAY];
		uint8_t size[HD_LOOK_WAY];
		uint8_t n;
		uint64_t values; /* a digest of what it found there */
	} way;
	uintptr_t lock; /* it is a try to take this one; 0: none */
	uint32_t made;	/* so many operations had been told when it was made */
	uint32_t order; /* enum hd_look_order */
	bool writes;	/* it may change the variable, too */
	bool changes;	/* it has */
	bool failed;	/* it was a compare-and-swap, and has not */
	bool stands;	/* it was not made yet */
	bool together;	/* it is one step with the look before it: one_step.h */
	/* The look before it was at the same variable, and nothing came in between: as that was. */
	bool after_look;
	uint32_t look_made;
	uint64_t look_value;
};

/* Looks since the last thing that others could notice. */
struct hd_look_round {
	struct {
		uintptr_t pc, addr;
		uint64_t state, value;
		uint32_t size, order;
		bool failed;   /* a compare-and-swap */
		bool not_only; /* a try for a lock, or something else was read before the next look */
	} looks[HD_LOOK_ROUND];
	uint32_t n;
	bool in_vain; /* they led it back to where the first of them was made */
};

struct hd_fiber_explore {
	enum hd_thread_state wants;
	uint32_t npoints; /* scheduling points that it came to */
	uintptr_t wants_addr, resumed_at;
	uint64_t wants_until; /* what it will try ends then at the latest; HD_NEVER: never */
	bool calm; /* it stands where others cannot make a difference to it, nor it to them */
	bool waited_in_loop; /* the next thing that it does was made possible by somebody else */
	bool at_barrier;     /* it has arrived, and not left */
	uintptr_t writes;    /* it stands before an operation that may change this variable; 0 */
	bool reads;	     /* ... or before one that reads, as the memory model lets it */
	uint64_t deeds;	     /* things that it did or saw which others know of */
	struct hd_fiber_look look;
	struct hd_look_round round;
	uint32_t order; /* of the operation that it is about to make: enum hd_look_order */
	uint64_t
		with; /* and a digest of its operands: they are in registers that are no part of the state */
	uint64_t state_past, state_stack; /* state.h */
};

#endif
