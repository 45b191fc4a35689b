/*
 * Computational units and correlated sets, and detection on them.
 *
 * A unit is seen at its writes: the label of what is written names the reads that it comes
 * from, with the locks held then; the locks of the unit are those held from the first of
 * them on without a break.
 */
#ifndef CR_UNIT_H
#define CR_UNIT_H

#include "cr_label.h"
#include "cr_race.h"
#include "cr_shadow.h"

/* The running thread writes @mask of the granule at @g; @s is as it was before. */
void cr_unit_write(struct cr_cell *c, UInt history, Addr g, UChar mask, ULong at, cr_label label,
		   const struct cr_sharing *s);

/* Two locations belong to one finding. */
void cr_unit_same(Addr a, Addr b);

/* The number of the correlated set of @a; equal for locations that belong together. */
UInt cr_unit_set(Addr a);

/* The memory has a new life. */
void cr_unit_forget(Addr granule);
extern ULong cr_words_forgotten; /* so far */

/* A unit that was torn, or variables of one set under different locks. */
enum cr_torn_kind { CR_TORN_RELEASED = 1, CR_TORN_LOCKS };

struct cr_torn {
	struct cr_torn *next, *same_hash;
	enum cr_torn_kind kind;
	Addr word;  /* read first and written last; of two variables the first */
	Addr other; /* CR_TORN_LOCKS: the second */
	Addr via;   /* what was read went through this, if it is the thread's own; 0 */
	Bool lent;  /* it was not, until it was freed */
	struct cr_record read, write; /* of the unit */
	struct cr_record between;     /* of another thread; segment 0: none so far */
	UInt times;
	Addr decided_at; /* the branch that decides by what was read whether there is a write; 0 */
	UInt way;	 /* it went */
	Addr looked_at;	 /* the first branch by what was read, which led to that one; and its way */
	UInt looked_way;
	Bool indexed;	/* what was read said which entry is written, and was advanced at the end */
	Bool same_code; /* between is no write, but would have led to the same one */
	struct cr_claims claims; /* as of a gap, see there */
	Bool alone; /* CR_TORN_LOCKS: neither adds to what it was, and no other thread does the same */
};

extern struct cr_torn *cr_torns;
extern UInt cr_ntorns;
extern ULong cr_torn_changes; /* how often one came, or was seen again */

/* Is the word that the value went through still the thread's own? */
Bool cr_torn_own(const struct cr_torn *t);
/* A block is given back: whose it was is known now. */
void cr_unit_freed(Addr a, SizeT size);

/* Segments that are of use. */
void cr_unit_segments(void (*mark)(UInt segment));
/* The most numbers of sets at a time. */
UInt cr_unit_nodes(void);

/* Correlated sets, for the result: each word that is in one, with its set, by address. */
void cr_unit_each(void (*take)(void *arg, Addr word, UInt set), void *arg);

/* Does what the thread does now depend on a look at @word in this critical section? */
Bool cr_unit_validated(Addr word);

/*
 * Did @s only decide that a loop goes on, or what its round does, which then took something else, in the same critical section?
 * What it does with @word, as a count of what is done, is bounded by what there was to take.
 */
Bool cr_unit_for_round(const struct cr_source *s, Addr word);

/* A critical section ends. */
void cr_unit_leave(void);

/* Was something compared, in this critical section, with what it was in an earlier one? */
Bool cr_unit_checked(void);

/* The thread decided by @label, at the branch at @pc, and went @way. */
void cr_unit_went(cr_label label, Addr pc, UInt way);

/* What was read at @read from @index said where @entry is; in a later critical section it was advanced. */
void cr_unit_advanced(Addr index, Addr entry, const struct cr_record *read,
		      const struct cr_record *write);

/* What was in @word was put elsewhere, as @read; in a later critical section another value is put there without a look. */
void cr_unit_swapped(Addr word, const struct cr_record *read, const struct cr_record *write);
/* The thread decided by @label, with a lock held. */
void cr_unit_decided(cr_label label);

#endif
