/*
 * The program's threads: clocks, locks held, calls. And what orders them.
 *
 * Happens-before comes from creating and joining, condition variables, semaphores, barriers
 * and atomic instructions, not from locks: those exclude, and are judged by locksets.
 */
#ifndef CR_THREAD_H
#define CR_THREAD_H

#include "cr.h"
#include "cr_past.h"
#include "cr_section.h"

struct cr_held {
	Addr lock;
	UInt id;    /* of the lock */
	UInt times; /* taken by a thread that has it */
	Bool shared;
	ULong since; /* number of the epoch that began with it */
};

#define CR_HELD 32u /* more at a time are not told apart */

#define CR_FLAGS 4u /* of other threads' writes at a time */

/* What a loop that waits has read in this round (cr_wait.h). */
struct cr_wait {
	Addr granule;
	UChar mask;
};

#define CR_CTX_UNASKED 0xffffffffu
#define CR_CHECKED     4u
#define CR_LOOKS       4u
#define CR_PINS	       16u
#define CR_TAKEN       8u
#define CR_DECISIONS   16u

/* A call that has not returned. */
struct cr_frame {
	Addr sp;  /* where its return address is; 0: what a signal interrupted */
	Addr pc;  /* where it returns to */
	UInt ctx; /* calling context, see cr_call_ctx(); CR_CTX_UNASKED: of no interest so far */
	UInt branches; /* of the thread's control stack that are not of this call */
	ULong serial;  /* cr_thread.calls then */
	cr_label
		looked; /* by what it has decided since the last critical section began, of what others may change */
	UInt looked_in; /* that section's number */
	UInt made;	/* calls that it made itself, but for those that only sleep */
	UInt made_left; /* by the time that the last critical section was left */
};

/* A branch that was taken and whose ways have not met again. */
struct cr_branch {
	Addr join;	  /* the address where they do; 0: only by returning */
	Addr pc;	  /* of the first branch of this decision */
	UInt loop;	  /* the innermost that it is in, see cr_flow_branch() */
	cr_label label;	  /* what the decision depended on */
	cr_label closing; /* of it what decided whether a loop goes on */
	Bool again; /* it was decided by the same once more: what was read for it is older than the loop */
	UInt way;     /* that the first branch went, the last time */
	cr_label sum; /* with that of the branches around it in the same function */
};

struct cr_thread {
	struct cr_thread *next; /* of those that run or were not joined */
	ThreadId tid;
	UInt slot;    /* of clocks */
	UInt number;  /* for people: 1 is the first thread */
	UInt creator; /* its number */
	Bool ended;
	UWord pthread;
	UInt *clock; /* as of now: CR_SLOTS, of a thread that ended nclock */
	UInt nclock;
	ULong epoch;
	struct cr_past past;
	struct cr_held held[CR_HELD];
	UInt nheld;
	UInt releases; /* how often it gave one back */
	UInt lockset;  /* interned */
	UInt segment;  /* interned (slot, clock, lockset); 0: not needed so far */
	struct cr_frame *frames;
	UInt nframes, frames_room;
	ULong calls; /* so far, of code that is looked at */
	struct cr_section
		section[2]; /* the present or last one, and the one before: by nsections */
	UInt nsections;
	struct cr_footprint footprint; /* of the present one */
	struct cr_flag {
		UInt slot, lockset;
		ULong until;
	} flags[CR_FLAGS]; /* that were read, but have not decided anything so far */
	UInt nflags;
	struct cr_wait waits[CR_FLAGS];
	UInt nwaits;
	struct cr_checked {
		Addr word;
		UInt lockset;
		ULong epoch;
	} checked
		[CR_CHECKED]; /* compared with what they were before, when that was last, under which locks */
	UInt nchecked; /* all in all */
	struct cr_claim
		claims[CR_CLAIMS]; /* flags that it looked at and set, and has not written since */
	UInt nclaims;		   /* all in all */
	struct cr_decision {
		Addr word;
		ULong epoch;
		UInt value;
	} decisions[CR_DECISIONS]; /* by what was read under a lock: the last ones */
	UInt ndecisions;	   /* all in all */
	struct cr_look {
		ULong from, until; /* epochs */
	} looks[CR_LOOKS];	   /* what one word was at two times, and these were compared */
	UInt nlooks;		   /* all in all */
	struct cr_gap *gaps;	   /* of its units, those that changed last first */
	struct cr_pin {
		Addr word;
		ULong since; /* of the critical section */
	} pins[CR_PINS];     /* counts that it has added to: the last ones */
	UInt npins;	     /* all in all */
	struct cr_taken {
		Addr word;
		ULong since; /* of the critical section */
	} taken[CR_TAKEN];   /* what it decided by and then replaced: the last ones */
	UInt ntaken;	     /* all in all */
	UInt *snapshot;	     /* of the clock, see cr_after_segment(); NULL: it has changed since */
	struct cr_branch *branches;
	UInt nbranches, branches_room;
};

/* The running thread, never NULL once the program runs. */
extern struct cr_thread *cr_me;

/* For translated code: the running thread's tag with all bytes set, and its control label. */
extern ULong cr_now;
extern cr_label cr_control;
extern UInt cr_open_branches; /* of the running function */

/* Its critical section; if it is in none, the last one. */
static inline struct cr_section *cr_section_now(void)
{
	return &cr_me->section[cr_me->nsections & 1];
}

void cr_thread_run(ThreadId tid);
void cr_thread_new(ThreadId parent, ThreadId child);
void cr_thread_end(ThreadId tid);
struct cr_thread *cr_thread_of(ThreadId tid);
/* Every thread that ever was; for the result. */
struct cr_thread_origin {
	Addr pc; /* where it was created, 0: unknown */
	UInt ctx;
	UInt creator; /* number, 0: none */
};

UInt cr_threads_count(void);
const struct cr_thread_origin *cr_thread_origin(UInt number);
/* Slots of clocks that are or were in use. */
UInt cr_thread_slots(void);
/* Live threads, one after the other; NULL: no more. */
struct cr_thread *cr_thread_next(UInt *cursor);

/* ---- order -------------------------------------------------------------------- */

void cr_thread_began(UWord pthread);
void cr_thread_created(UWord pthread);
void cr_thread_joined(UWord pthread);
/* What the running thread, or @t, does from now on can be told from what it did. */
void cr_step(void);
void cr_thread_step(struct cr_thread *t);
/* The running thread's clock has taken something in. */
void cr_thread_learnt(void);
/* What @t did, and what was before that, is before @into. */
void cr_thread_past(struct cr_past *into, const struct cr_thread *t);

/* ---- locks -------------------------------------------------------------------- */

void cr_locked(Addr lock, Bool shared, UInt kind);
void cr_unlock(Addr lock, Bool altogether);

/* The locks of a set. */
struct cr_lock_use {
	Addr lock;
	Bool shared;
	UInt kind;
};

UInt cr_lockset_get(UInt set, struct cr_lock_use *out, UInt max);
Bool cr_lockset_empty(UInt set);
/* Can two threads be at accesses under these two at a time? */
Bool cr_locksets_exclude(UInt a, UInt b);
Bool cr_lockset_within(UInt small, UInt big);
/*
 * Are these the locks of two objects of a kind, to which the words @x, used under @a, and @y,
 * under @b, belong? Then two of them were once taken by the same calls; or by the same
 * instruction, and each lies nearer to its word.
 */
Bool cr_locksets_alike(UInt a, Addr x, UInt b, Addr y);
/* What those who gave these locks back knew for sure, the running thread knows now. */
void cr_lockset_tells(UInt set);
/* The epoch that began with the lock that is held the longest, 0: none is held. */
ULong cr_held_oldest(void);
/* Is a lock of @set, which this thread held at @epoch, still held without a break? */
Bool cr_held_since(UInt set, ULong epoch);
/* Is a lock of @set held again, after it was given back since @epoch? */
Bool cr_held_again(UInt set, ULong epoch);

#endif
