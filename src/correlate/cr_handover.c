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

void cr_flag_read(const struct cr_sharing *s)
{
	for (UInt i = 0; i < cr_me->nflags; i++) {
		if (cr_me->flags[i].slot == s->handed_by) {
			cr_me->flags[i].until = s->handed;
			cr_me->flags[i].lockset = cr_me->lockset;
			return;
		}
	}
	if (cr_me->nflags < CR_FLAGS)
		cr_me->flags[cr_me->nflags++] = (struct cr_flag){ s->handed_by, cr_me->lockset,
								 s->handed };
}

/* A write of @slot's thread, read under the locks of @lockset, was its last word until @epoch. */
static void tells_until(UInt slot, ULong epoch, UInt lockset)
{
	cr_past_add(&cr_me->past, slot, epoch, CR_PAST_SURE);
	cr_lockset_tells(lockset);
}

/* Labels decide again and again. Was this one told by the running thread, not long ago? */
static Bool was_told(cr_label label)
{
	static ULong told[256], collections;
	ULong key = (ULong)cr_me->number << 32 | label, *at = &told[label % 256];

	if (collections != cr_label_stats.collections) { /* numbers of labels have a new life */
		VG_(memset)(told, 0, sizeof(told));
		collections = cr_label_stats.collections;
	}
	if (*at == key)
		return True;
	*at = key;
	return False;
}

void cr_flag_seen(cr_label label)
{
	UInt n = cr_label_count(label);

	for (UInt i = 0, told = was_told(label); i < n && !told; i++) {
		const struct cr_source *s = cr_label_get(label, i);

		if (s->handed && cr_segment(s->segment)->number == cr_me->number)
			tells_until(s->handed_by, s->handed, cr_segment(s->segment)->lockset);
	}
	/* What a full label has left out may have been any of them. */
	if (n == CR_SOURCES) {
		for (UInt i = 0; i < cr_me->nflags; i++)
			tells_until(cr_me->flags[i].slot, cr_me->flags[i].until,
				    cr_me->flags[i].lockset);
		cr_me->nflags = 0;
	}
}

void cr_flag_waited(cr_label label)
{
	for (UInt i = 0; i < cr_label_count(label); i++) {
		const struct cr_source *s = cr_label_get(label, i);

		if (s->handed && cr_segment(s->segment)->number == cr_me->number)
			cr_past_add(&cr_me->past, s->handed_by, s->handed, CR_PAST_WAITED);
	}
}

Bool cr_handed_block(Addr a, ULong epoch)
{
	const struct cr_block *b = cr_heap_near(a) ? cr_heap_block(a) : NULL;

	return b && known_until(b) >= epoch;
}

Bool cr_handed_over(Addr a, const struct cr_record *r)
{
	return cr_handed_block(a, r->epoch) ||
	       cr_past_has(&cr_me->past, cr_segment(r->segment)->slot, r->epoch, CR_PAST_SURE);
}
