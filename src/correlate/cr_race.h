/*
 * Detection on single locations: two accesses that nothing orders, that no lock keeps apart,
 * and of which one writes.
 *
 * For every granule the accesses that a later one may conflict with are kept, each with its
 * segment (thread, clock, locks) and place: exactly those that are not implied by
 * another. That is the lockset and happens-before state machine taken apart by thread: a
 * location is exclusive while all records are ordered, shared when some are not, and the
 * candidate set of locks is the intersection over those; nothing is lost when it goes back.
 */
#ifndef CR_RACE_H
#define CR_RACE_H

#include "cr_record.h"
#include "cr_segment.h"

/* What a granule's history says of it. */
struct cr_sharing {
	Bool mine;    /* the running thread has accessed it */
	Bool others;  /* so have others */
	Bool written_by_me;
	Bool written_by_others; /* and nothing puts that before what I do now */
	UChar atomic; /* bytes that were accessed by atomic instructions */
	UChar waits;  /* bytes that a loop of another thread has waited for */
	UInt again;   /* the last of my locksets there, 0: none */
	ULong again_epoch; /* of that access */
	ULong handed; /* epoch of the last write by others under a lock that I hold now */
	UInt handed_by; /* slot of its thread */
};

/* The running thread accesses @mask of the granule at @a. Reports what conflicts. */
void cr_history_access(UInt *history, Addr a, UChar mask, UInt kind, ULong at);
/*
 * The same again for other bytes, in the same epoch and from the same place, where nobody else
 * was: notes it and returns True. Otherwise nothing is done.
 */
Bool cr_history_more(UInt history, UChar mask, UInt kind, ULong at);
void cr_history_drop(UInt *history);
/* What it says of @mask: when I was there last goes by these bytes, the rest by the granule. */
void cr_history_sharing(UInt history, UChar mask, struct cr_sharing *s);

#define CR_RECORDS 4096u /* in a block */

extern struct cr_record **cr_record_blocks;

static inline struct cr_record *cr_record(UInt number)
{
	return &cr_record_blocks[number / CR_RECORDS][number % CR_RECORDS];
}


/* Segments that histories and findings refer to. */
void cr_race_segments(void (*mark)(UInt segment));
/* The most records at a time. */
UInt cr_race_records(void);

/* A race that was found, each pair of places once. */
struct cr_race {
	struct cr_race *next, *same_hash;
	Addr addr;       /* first byte that both access */
	UInt size;
	UInt times;
	Bool ordered;    /* each time by locks, in this run (cr_past.h) */
	struct cr_record first, second;
	UInt component;  /* for the result */
};

extern struct cr_race *cr_races;
extern UInt cr_nraces;

#endif
