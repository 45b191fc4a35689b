/*
 * What small critical sections accessed, for as long as that may be of use: a unit that is seen later
 * may be torn by a section of before. Histories (cr_race.h) keep only the last access of each thread,
 * which says nothing of what was accessed together.
 *
 * Of one section the first CR_STEPS granules are kept; of sections that access the same ones, the last;
 * of too many, those that a hash leaves.
 */
#ifndef CR_FOOTPRINT_H
#define CR_FOOTPRINT_H

#include "cr_race.h"

/* The running thread accesses @mask of a granule, for the first time in this epoch, with a lock held. */
void cr_footprint_access(Addr granule, UChar mask, UInt kind, ULong at);
/* Has it read @word in this section, as far as that is known? */
Bool cr_footprint_reads(Addr word);
/* It has taken its first lock, or is about to give back its last one. */
void cr_footprint_enter(void);
void cr_footprint_leave(void);

/*
 * A section of another thread that accessed both words: @take is asked for each that has an access of
 * @a and one of @b, until it returns True.
 */
void cr_footprint_find(Addr a, Addr b,
		       Bool (*take)(void *arg, const struct cr_record *a,
				    const struct cr_record *b),
		       void *arg);

/*
 * The same of those that went to @word after a decision by another word, which was this then; @now: of the running thread, in its
 * present section.
 */
struct cr_guard {
	Addr word;
	UInt value;
};

void cr_footprint_guarded(const struct cr_guard *guard, Addr word, Bool now,
			  Bool (*take)(void *arg, const struct cr_record *a,
				       const struct cr_record *b),
			  void *arg);

void cr_footprint_segments(void (*mark)(UInt segment));

#endif
