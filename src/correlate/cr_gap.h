/*
 * Units over several critical sections, and on more than one variable.
 *
 * A unit accesses one word in one critical section and another in a later one; no lock is held from
 * the one to the other. That alone is L_u = {}, which is not wrong in itself. It is torn if a critical
 * section of another thread, which may come into the gap, conflicts with both accesses: then it is after
 * the first and before the last, so that no serial order of the two has the same effect.
 *
 * What may not come into the gap: what is ordered before or after the unit; what got the memory
 * from the other; what waits, in a loop, for what is written outside. And if the unit has set a flag that it
 * looked at before (it claims something), what is done after a decision by that flag.
 */
#ifndef CR_GAP_H
#define CR_GAP_H

#include "cr_label.h"
#include "cr_race.h"
#include "cr_section.h"

struct cr_gap {
	struct cr_gap *next, *same_place, *same_first, *same_last;
	Addr first_word, last_word;
	struct cr_record first, last; /* of the unit */
	struct cr_record between[2];  /* of the other: what conflicts with first, and with last */
	Bool update;   /* two writes, or two reads, of which it is not known what ties them ... */
	Bool together; /* ... but another thread reads, or replaces, both in one critical section */
	Bool counts;   /* of an update: one of the two is added to */
	Bool flag;     /* of an update: the last word becomes a constant ... */
	UInt was;      /* ... and was this */
	Bool guarded;  /* the other one comes between since the first word ... */
	UInt left;     /* ... was left so */
	Bool looped;   /* what was read first decides whether a loop goes on */
	struct cr_claims claims; /* the unit has set flags for others */
	Bool dead; /* it is looked whether anything has changed; or memory was freed */
	UInt times;
	struct cr_gap *newer, *older; /* of the same thread, by when they changed */
	ULong changed, change;	      /* in which epoch, and by cr_gap_changes */
};

extern struct cr_gap *cr_gaps;
extern ULong cr_gap_changes; /* how often one came, or got other accesses */

/* Is it a finding? */
static inline Bool cr_gap_torn(const struct cr_gap *g)
{
	return g->between[0].segment && !g->dead && (!g->update || g->together);
}

/* The running thread writes @word, under a lock, with a value of @label, in calls that @outer decided. */
void cr_gap_write(cr_label label, cr_label outer, Addr word, const struct cr_record *write);
/* Take note if it adds to a count by that. */
void cr_gap_counted(cr_label label, Addr word);
/*
 * It makes a value of @label, or decides by one, at @pc; 0: it is known to be the program's own code. That
 * libc copies two values in one piece, or prints them one after the other, says nothing.
 */
void cr_gap_joined(cr_label label, Addr pc);
/* ... @orders: by which of two is more; @constant: by whether it is some constant. */
void cr_gap_decided(cr_label label, Addr pc, Bool orders, Bool constant);
/* It makes a value of both. */
void cr_gap_met(cr_label a, cr_label b);
/* It leaves a critical section, and keeps a value of @label. */
void cr_gap_kept(cr_label label);
/* It decides by @inner after a decision by @outer, both parts of one condition. */
void cr_gap_nested(cr_label outer, cr_label inner);
/* It passes values of both labels to one function. */
void cr_gap_passed(cr_label a, cr_label b);
/* It replaces what it read as @s with a value of @label, in one critical section. */
void cr_gap_replaced(struct cr_source *s, cr_label label, const struct cr_record *write);
/* It has written two words in two critical sections, and may be wrong to (cr_update.h). */
struct cr_gap_update {
	Addr first_word, last_word;
	const struct cr_record *first, *last;
	const struct cr_claims *claims;
	Bool together;
	Bool counts; /* one of the two is a count that is added to */
	Bool flag;   /* the last one becomes a constant, and was this: */
	UInt was;
};

void cr_gap_update(const struct cr_gap_update *u);
/*
 * It uses both words together in one, at a time when an update would have written the first one. @was: it looks at that only after
 * a decision by the last one, which was so; NULL: in any case. @printed: all that it does is to hand them to one function, as when
 * they are printed. That says nothing of counts.
 */
void cr_gap_together(Addr first_word, Addr last_word, const UInt *was, Bool printed);
/* It replaces both in one. */
void cr_gap_state(Addr a, Addr b);
/* It accesses @mask of a granule that has CR_HAS_GAP, for the first time in this epoch. */
void cr_gap_access(Addr granule, UChar mask, UInt kind, ULong at);
/* The read that a source is. */
struct cr_record cr_source_read(const struct cr_source *s);
/* The memory has a new life. */
void cr_gap_forget(Addr granule);

/*
 * Is @r, by another thread at @a, before what the running thread does now, so that it cannot come into
 * the gap of a unit? @claims are those of that unit.
 */
Bool cr_gap_before(const struct cr_record *r, Addr a, const struct cr_claims *claims);

void cr_gap_segments(void (*mark)(UInt segment));

#endif
