#include "cr_shadow.h"

#include <pub_tool_aspacemgr.h>

#include "cr_order.h"
#include "cr_race.h"
#include "cr_gap.h"
#include "cr_region.h"
#include "cr_unit.h"
#include "cr_update.h"

struct cr_chunk *cr_chunks[CR_CHUNKS];
struct cr_chunk cr_no_chunk;

void cr_shadow_init(void)
{
	for (UWord i = 0; i < CR_CHUNKS; i++)
		cr_chunks[i] = &cr_no_chunk;
}

struct cr_chunk *cr_chunk_make(Addr a)
{
	struct cr_chunk **at = &cr_chunks[a >> CR_CHUNK_BITS];

	if (*at == &cr_no_chunk) {
		*at = VG_(am_shadow_alloc)(sizeof(**at)); /* zeros */
		if (!*at)
			VG_(out_of_memory_NORETURN)("correlate: shadow memory", sizeof(**at));
	}
	return *at;
}

static void forget_granule(struct cr_chunk *c, UInt i, Addr a)
{
	c->cell[i].tag = 0;
	c->cell[i].label[0] = c->cell[i].label[1] = 0;
	if (c->flags[i] & CR_HAS_GAP)
		cr_gap_forget(a);
	if (c->flags[i] & CR_HAS_PAIR)
		cr_update_forget(a);
	if (c->history[i])
		cr_history_drop(&c->history[i]);
	if (c->flags[i] & CR_HAS_ORDER)
		cr_order_forget(a);
	if (c->flags[i] & CR_HAS_SET)
		cr_unit_forget(a);
	if (c->flags[i] & CR_HAS_REGION)
		cr_region_forget(a);
	c->flags[i] = 0;
}

/* Whole granules inside the range; a part of one keeps its history. */
void cr_shadow_forget(Addr a, SizeT len)
{
	Addr end = a + len;

	if (end < a || a >= CR_TOP)
		return;
	if (end > CR_TOP)
		end = CR_TOP;
	for (a = (a + 7) & ~(Addr)7; a + 8 <= end;) {
		struct cr_chunk *c = cr_chunk_find(a);
		Addr next = (a & ~((Addr)(1u << CR_CHUNK_BITS) - 1)) + (1u << CR_CHUNK_BITS);

		if (!c) {
			a = next;
			continue;
		}
		for (; a + 8 <= end && a < next; a += 8)
			forget_granule(c, cr_granule(a), a);
	}
}

void cr_shadow_unlabel(Addr a, SizeT len)
{
	Addr end = a + len;

	if (end < a || end > CR_TOP)
		return;
	for (a &= ~(Addr)3; a < end; a += 4) {
		struct cr_chunk *c = cr_chunk_find(a);

		if (c)
			c->cell[cr_granule(a)].label[(a >> 2) & 1] = 0;
		else
			a |= (1u << CR_CHUNK_BITS) - 4;
	}
}
