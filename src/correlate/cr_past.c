#include "cr_past.h"

static void reach(struct cr_past *p, UInt n)
{
	UInt room = (n + 7) & ~7u;

	if (p->room >= n)
		return;
	p->until = VG_(realloc)("cr.past", p->until, room * sizeof(ULong));
	VG_(memset)(p->until + p->room, 0, (room - p->room) * sizeof(ULong));
	p->room = room;
}

void cr_past_join(struct cr_past *into, const struct cr_past *from)
{
	reach(into, from->room);
	for (UInt i = 0; i < from->room; i++) {
		if (from->until[i] > into->until[i])
			into->until[i] = from->until[i];
	}
}

void cr_past_add(struct cr_past *into, UInt slot, ULong epoch)
{
	reach(into, slot + 1);
	if (epoch > into->until[slot])
		into->until[slot] = epoch;
}

void cr_past_drop(struct cr_past *p)
{
	VG_(free)(p->until);
	*p = (struct cr_past){ 0 };
}
