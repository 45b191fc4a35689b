/*
 * What comes before a thread's present, in this run: everything that orders threads, and locks as
 * well, by who happened to have them first. A race on which that has nothing to say was seen; of
 * one that only locks put in order it is known that another run could have it.
 *
 * By slot, the number of the epoch up to which that slot's thread is known: numbers grow over all
 * threads, so they need not be told from those of a thread that had the slot before.
 */
#ifndef CR_PAST_H
#define CR_PAST_H

#include "cr.h"

struct cr_past {
	UInt room;
	ULong *until;
};

void cr_past_join(struct cr_past *into, const struct cr_past *from);
/* The epoch @epoch of the thread in @slot, and what is before it. */
void cr_past_add(struct cr_past *into, UInt slot, ULong epoch);
void cr_past_drop(struct cr_past *p);

static inline Bool cr_past_has(const struct cr_past *p, UInt slot, ULong epoch)
{
	return slot < p->room && p->until[slot] >= epoch;
}

#endif
