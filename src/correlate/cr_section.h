/*
 * A thread's critical sections, from the first lock that it takes to the last one that it gives
 * back: what is kept of the present or last one, and of the one before (cr_update.h).
 */
#ifndef CR_SECTION_H
#define CR_SECTION_H

#include "cr_record.h"

#define CR_SECTION_WRITES  8u /* with more, it is nothing that has two simple parts */
#define CR_SECTION_DATA	   4u
#define CR_SECTION_DECIDED 24u
#define CR_SECTION_ENTRIES 4u
#define CR_CLAIMS	   8u
#define CR_LOCK_CALLS	   6u /* functions around the one that takes a lock */

#define CR_STEPS 16u

/* Flags that a thread has set (cr_claim.h). */
struct cr_claims {
	UInt n;
	struct cr_claim {
		Addr word;
		ULong since; /* of the critical section */
		UInt value;  /* that it has left there */
	} of[CR_CLAIMS];
};

/* What a section accessed (cr_footprint.h). */
struct cr_footprint {
	UInt n;
	struct cr_step {
		Addr granule;
		struct cr_record access;
		UInt value[2]; /* of a read: what was there */
		UInt after;    /* steps that it had decided by before: bits */
	} step[CR_STEPS];
};

/* What was written, and of what data: the words and when they were read. */
struct cr_written {
	Addr word;
	struct cr_record write;
	UInt was, is; /* before, and when the section ended */
	Addr object;  /* that it pointed to before; 0: it was no pointer */
	Bool adds;    /* to what was there */
	UInt made_of; /* bits of the words of before, in this section, that it depends on */
	UInt ndata;
	struct cr_datum {
		Addr word;
		ULong epoch;
	} data[CR_SECTION_DATA];
};

struct cr_source;

struct cr_section {
	ULong since;   /* epoch; 0: none */
	UInt ctx;      /* where its first lock was taken */
	ULong entered; /* calls of the thread before it, and before its end */
	ULong left;
	UInt depth; /* of the call that took the lock; where it and those around it return to */
	Addr returns[CR_LOCK_CALLS];
	Addr before,
		at; /* if it follows: where the locks were taken, or what does that was called */
	struct cr_open {
		UInt n;
		Addr last;	   /* where the last one was made */
	} open_before, open_after; /* decisions, when it began and when it ended */
	UInt decided_by; /* what these writes of the one before replaced decided whether it comes: bits */
	Bool follows; /* the same function comes from the one before, with nothing in between */
	struct cr_claims claims; /* of the thread, from earlier ones */
	Bool full;		 /* it has more writes */
	UInt n;
	struct cr_written written[CR_SECTION_WRITES];
	UInt nentries;
	struct cr_entry {
		Addr index,
			entry; /* where an index is, and where the entry that was written by it */
		struct cr_record read; /* of the index */
		Bool before;	       /* in an earlier section */
	} entries[CR_SECTION_ENTRIES];
	struct cr_late {
		const struct cr_source *read; /* which decided that @word is replaced; NULL: none */
		ULong epoch;		      /* its own */
		Addr word;
		struct cr_record write;
	} late; /* a write that is looked at when the section ends (cr_unit_leave) */
	UInt ndecided;
	Addr decided[CR_SECTION_DECIDED]; /* words that it read and decided by */
};

#endif
