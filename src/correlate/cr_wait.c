#include "cr_wait.h"

#include "cr_access.h"
#include "cr_race.h"
#include "cr_shadow.h"

/* The access is no race, and others' next write there must be noticed: the tag is nobody's. */
static void read_flag(Addr g, UChar mask, ULong at)
{
	struct cr_chunk *chunk = cr_chunk_of(g);

	cr_history_access(&chunk->history[cr_granule(g)], g, mask, CR_READ | CR_WAITS, at);
	chunk->cell[cr_granule(g)].tag = 0;
	for (UInt i = 0; i < cr_me->nwaits; i++) {
		if (cr_me->waits[i].granule == g) {
			cr_me->waits[i].mask |= mask;
			return;
		}
	}
	if (cr_me->nwaits < CR_FLAGS)
		cr_me->waits[cr_me->nwaits++] = (struct cr_wait){ g, mask };
}

VG_REGPARM(2) UWord cr_on_wait_read(UWord a, UWord at)
{
	UInt size = cr_at_size(at);

	if (a + size > CR_TOP || a + size < a)
		return 0;
	for (Addr g = a & ~(Addr)7; g < a + size; g += 8)
		read_flag(g, cr_mask_in(g, a, size), at);
	return cr_on_plain_read(a, at);
}

VG_REGPARM(1) void cr_on_wait_round(UWord pc)
{
	cr_me->nwaits = 0;
}

VG_REGPARM(1) void cr_on_wait_end(UWord pc)
{
	for (UInt i = 0; i < cr_me->nwaits; i++) {
		const struct cr_wait *w = &cr_me->waits[i];
		UInt n = cr_chunk_of(w->granule)->history[cr_granule(w->granule)];

		for (; n; n = cr_record(n)->next) {
			const struct cr_record *r = cr_record(n);

			if (r->kind & CR_WRITE && r->mask & w->mask)
				cr_after_segment(r->segment);
		}
	}
	cr_me->nwaits = 0;
}
