/*
 * What comes before a thread's present: three times, by slot, the number of the epoch up to which that
 * slot's thread is known. Numbers grow over all threads, so they need not be told from those
 * of a thread that had the slot before.
 *
 * In this run: by everything that orders threads, and by locks as well, as they happened to be
 * taken. A race on which that has nothing to say was seen; of one that only locks put in order it
 * is known that another run can have it. For sure: without locks, but for decisions by what
 * others wrote under them (cr_handover.h). Waited for: of those decisions only the ones that a loop
 * goes on by, which would still wait if the other had not written.
 */
#ifndef CR_PAST_H
#define CR_PAST_H

#include "cr.h"

enum cr_past_kind { CR_PAST_RUN, CR_PAST_SURE, CR_PAST_WAITED, CR_PAST_KINDS };

struct cr_past {
	UInt room;
	ULong (*until)[CR_PAST_KINDS];
};

/* What @from has of @kind; the epoch @epoch of the thread in @slot. */
void cr_past_join(struct cr_past *into, const struct cr_past *from, enum cr_past_kind kind);
void cr_past_add(struct cr_past *into, UInt slot, ULong epoch, enum cr_past_kind kind);
void cr_past_join_all(struct cr_past *into, const struct cr_past *from);
void cr_past_drop(struct cr_past *p);

static inline Bool cr_past_has(const struct cr_past *p, UInt slot, ULong epoch,
			       enum cr_past_kind kind)
{
	return slot < p->room && p->until[slot][kind] >= epoch;
}

#endif
