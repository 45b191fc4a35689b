#include "cr_segment.h"

#include "cr_label.h"
#include "cr_machine.h"
#include "cr_race.h"
#include "cr_region.h"
#include "cr_footprint.h"
#include "cr_gap.h"
#include "cr_unit.h"
#include "cr_update.h"

#define COLLECT_AT (1u << 14) /* segments, at least, before it is worth it */

struct cr_segment *cr_segments;
struct cr_segment_stats cr_segment_stats;

static UInt nsegments = 1, segments_room, free_segments; /* free ones: a list through clock */
static UInt live, collect_at = COLLECT_AT;
static UInt *table, table_mask; /* ids, open addressing */
static UChar *marks;

#define FREE 0xffffffffu /* as a slot */

/*
 * The clocks of threads at their segments: what a segment is after. Only kept with --flag-loops, where
 * any write may turn out to be what another thread has waited for; then nothing is collected. The
 * first word is how many follow; segments that differ in locks alone share one.
 */
static UInt **snapshots; /* by segment */

static void keep_clock(struct cr_thread *t, UInt segment)
{
	UInt n = cr_thread_slots();

	if (!t->snapshot) {
		t->snapshot = VG_(malloc)("cr.snapshot", (n + 1) * sizeof(UInt));
		t->snapshot[0] = n;
		VG_(memcpy)(t->snapshot + 1, t->clock, n * sizeof(UInt));
	}
	snapshots[segment] = t->snapshot;
}

void cr_after_segment(UInt id)
{
	struct cr_thread *t;

	if (cr_segments[id].slot == cr_me->slot || cr_segment_before(id))
		return;
	for (UInt i = 0; i < snapshots[id][0]; i++) {
		if (snapshots[id][i + 1] > cr_me->clock[i])
			cr_me->clock[i] = snapshots[id][i + 1];
	}
	cr_thread_learnt();
	/* What it does next is not before, even if nobody has waited for its write so far. */
	for (UInt cursor = 0; (t = cr_thread_next(&cursor));) {
		if (t->slot == cr_segments[id].slot && t->clock[t->slot] == cr_segments[id].clock)
			cr_thread_step(t);
	}
}

static void table_put(UInt id)
{
	const struct cr_segment *s = &cr_segments[id];
	UInt i = cr_hash((ULong)s->slot << 32 | s->clock, s->lockset) & table_mask;

	while (table[i])
		i = (i + 1) & table_mask;
	table[i] = id;
}

static void table_rebuild(void)
{
	VG_(memset)(table, 0, (table_mask + 1) * sizeof(*table));
	for (UInt id = 1; id < nsegments; id++) {
		if (cr_segments[id].slot != FREE)
			table_put(id);
	}
}

static void grow(void)
{
	segments_room = segments_room ? segments_room * 2 : 1024;
	cr_segments = VG_(realloc)("cr.segments", cr_segments,
				   segments_room * sizeof(*cr_segments));
	marks = VG_(realloc)("cr.segments", marks, segments_room);
	if (cr_options.flag_loops)
		snapshots = VG_(realloc)("cr.snapshots", snapshots,
					 segments_room * sizeof(*snapshots));
	table_mask = segments_room * 2 - 1;
	VG_(free)(table);
	table = VG_(malloc)("cr.segments", (table_mask + 1) * sizeof(*table));
	table_rebuild();
}

static UInt segment_new(struct cr_segment as)
{
	UInt id = free_segments;

	if (id)
		free_segments = cr_segments[id].clock;
	else
		id = nsegments++;
	cr_segments[id] = as;
	table_put(id);
	if (++live > cr_segment_stats.most)
		cr_segment_stats.most = live;
	cr_segment_stats.made++;
	return id;
}

UInt cr_segment_make(void)
{
	const struct cr_thread *t = cr_me;
	UInt clock = t->clock[t->slot], i;

	if (nsegments >= segments_room)
		grow();
	i = cr_hash((ULong)t->slot << 32 | clock, t->lockset) & table_mask;
	for (; table[i]; i = (i + 1) & table_mask) {
		const struct cr_segment *s = &cr_segments[table[i]];

		if (s->slot == t->slot && s->clock == clock && s->lockset == t->lockset)
			return cr_me->segment = table[i];
	}
	cr_me->segment = segment_new((struct cr_segment){ t->slot, clock, t->lockset,
							  t->number });
	if (cr_options.flag_loops)
		keep_clock(cr_me, cr_me->segment);
	return cr_me->segment;
}

Bool cr_segment_past(UInt id)
{
	UInt cursor = 0;
	struct cr_thread *t;

	while ((t = cr_thread_next(&cursor))) {
		if (cr_segments[id].clock > t->clock[cr_segments[id].slot])
			return False;
	}
	return True;
}

/* ---- collection ---------------------------------------------------------------------- */

static void mark(UInt id)
{
	marks[id] = 1;
}

static void mark_all(void)
{
	UInt cursor = 0;
	const struct cr_thread *t;

	while ((t = cr_thread_next(&cursor)))
		mark(t->segment);
	cr_race_segments(mark);
	cr_unit_segments(mark);
	cr_gap_segments(mark);
	cr_update_segments(mark);
	cr_footprint_segments(mark);
	cr_label_segments(mark);
	cr_region_segments(mark);
	cr_machine_segments(mark);
}

void cr_segment_collect(void)
{
	if (live < collect_at || cr_options.flag_loops)
		return;
	VG_(memset)(marks, 0, nsegments);
	mark_all();
	for (UInt id = 1; id < nsegments; id++) {
		struct cr_segment *s = &cr_segments[id];

		if (marks[id] || s->slot == FREE)
			continue;
		*s = (struct cr_segment){ .slot = FREE, .clock = free_segments };
		free_segments = id;
		live--;
	}
	table_rebuild();
	cr_segment_stats.collections++;
	collect_at = live * 2 < COLLECT_AT ? COLLECT_AT : live * 2;
}
