#include "cr_past.h"

static void reach(struct cr_past *p, UInt n)
{
	UInt room = (n + 7) & ~7u;

	if (p->room >= n)
		return;
	p->until = VG_(realloc)("cr.past", p->until, room * sizeof(*p->until));
	VG_(memset)(p->until + p->room, 0, (room - p->room) * sizeof(*p->until));
	p->room = room;
}

void cr_past_join(struct cr_past *into, const struct cr_past *from, enum cr_past_kind kind)
{
	reach(into, from->room);
	for (UInt i = 0; i < from->room; i++) {
		if (from->until[i][kind] > into->until[i][kind])
			into->until[i][kind] = from->until[i][kind];
	}
}

void cr_past_add(struct cr_past *into, UInt slot, ULong epoch, enum cr_past_kind kind)
{
	reach(into, slot + 1);
	if (epoch > into->until[slot][kind])
		into->until[slot][kind] = epoch;
}

void cr_past_join_all(struct cr_past *into, const struct cr_past *from)
{
	cr_past_join(into, from, CR_PAST_RUN);
	cr_past_join(into, from, CR_PAST_SURE);
	cr_past_join(into, from, CR_PAST_WAITED);
}

void cr_past_drop(struct cr_past *p)
{
	VG_(free)(p->until);
	*p = (struct cr_past){ 0 };
}
