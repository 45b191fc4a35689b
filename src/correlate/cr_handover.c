#include "cr_handover.h"

#include "cr_call.h"
#include "cr_label.h"
#include "cr_place.h"

/* Up to where the running thread knows the block, 0: not at all. */
static ULong known_until(const struct cr_block *b)
{
	for (UInt i = 0; i < CR_TAKERS; i++) {
		if (b->taker[i].thread == cr_me->number)
			return b->taker[i].until;
	}
	return 0;
}

/* Of too many that take a block the one that knows least is forgotten. */
static void know(struct cr_block *b, ULong until)
{
	UInt least = 0;

	for (UInt i = 0; i < CR_TAKERS; i++) {
		if (b->taker[i].thread == cr_me->number) {
			if (until > b->taker[i].until)
				b->taker[i].until = until;
			return;
		}
		if (b->taker[i].until < b->taker[least].until)
			least = i;
	}
	b->taker[least].thread = cr_me->number;
	b->taker[least].until = until;
}

void cr_hand_over(Addr a, const struct cr_sharing *s)
{
	Addr to = *(const Addr *)a;
	struct cr_block *target, *holder;
	ULong until = s->handed;

	if (!cr_heap_near(to))
		return;
	holder = cr_heap_near(a) ? cr_heap_block(a) : NULL;
	if (holder && known_until(holder) > until)
		until = known_until(holder); /* what it points to came with it */
	if (!until)
		return;
	target = cr_heap_block(to);
	if (target && target != holder)
		know(target, until);
}

void cr_flag_seen(cr_label label)
{
	for (UInt i = 0; i < cr_label_count(label); i++) {
		const struct cr_source *s = cr_label_get(label, i, NULL);

		if (!s->handed || s->flags & CR_SRC_CONSUMED ||
		    cr_segment(s->segment)->number != cr_me->number)
			continue;
		if (!cr_me->seen)
			cr_me->seen = VG_(calloc)("cr.seen", CR_SLOTS, sizeof(ULong));
		if (s->handed > cr_me->seen[s->handed_by])
			cr_me->seen[s->handed_by] = s->handed;
	}
}

Bool cr_handed_over(Addr a, const struct cr_record *r)
{
	const struct cr_block *b = cr_heap_near(a) ? cr_heap_block(a) : NULL;

	return (b && known_until(b) >= r->epoch) ||
	       (cr_me->seen && cr_me->seen[cr_segment(r->segment)->slot] >= r->epoch);
}
