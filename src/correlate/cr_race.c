#include "cr_race.h"

#include "cr_call.h"
#include "cr_handover.h"
#include "cr_result.h"
#include "cr_unit.h"

#define RECORDS_MAX 16u /* of one granule */
#define RACES_MAX 4096u

/* Records, in blocks that stay where they are: all of them at once may be a great part of the memory. */
struct cr_record **cr_record_blocks;
static UInt nrecords = 1, blocks_room, nblocks, free_records;

struct cr_race *cr_races;
UInt cr_nraces;
static struct cr_race *by_places[1024]; /* chained by same_hash */

static UInt record_new(void)
{
	UInt n = free_records;

	if (n) {
		free_records = cr_record(n)->next;
		return n;
	}
	if (nrecords >= nblocks * CR_RECORDS) {
		if (nblocks == blocks_room) {
			blocks_room = blocks_room ? blocks_room * 2 : 64;
			cr_record_blocks = VG_(realloc)("cr.records", cr_record_blocks,
							blocks_room * sizeof(*cr_record_blocks));
		}
		cr_record_blocks[nblocks++] =
			VG_(malloc)("cr.records", CR_RECORDS * sizeof(struct cr_record));
	}
	return nrecords++;
}

static void unlink_record(UInt *from)
{
	UInt n = *from;

	*from = cr_record(n)->next;
	cr_record(n)->segment = 0;
	cr_record(n)->next = free_records;
	free_records = n;
}

void cr_history_drop(UInt *history)
{
	while (*history)
		unlink_record(history);
}

/* ---- what was found ------------------------------------------------------------------ */

static Bool same_places(const struct cr_race *r, const struct cr_record *a,
			const struct cr_record *b)
{
	return (r->first.at == a->at && r->second.at == b->at) ||
	       (r->first.at == b->at && r->second.at == a->at);
}

static void found(Addr granule, const struct cr_record *first, const struct cr_record *second)
{
	UChar both = first->mask & second->mask;
	Bool ordered = cr_past_has(&cr_me->past, cr_segment(first->segment)->slot, first->epoch,
				   CR_PAST_RUN);
	UInt skip = 0, size = 0;
	struct cr_race *r, **bucket;

	while (!(both >> skip & 1))
		skip++;
	while (both >> (skip + size) & 1)
		size++;
	bucket = &by_places[cr_hash(first->at ^ second->at, 0) % 1024];
	for (r = *bucket; r; r = r->same_hash) {
		if (!same_places(r, first, second))
			continue;
		r->times++;
		if (r->addr != granule + skip)
			cr_unit_same(r->addr, granule + skip);
		if (r->ordered && !ordered) { /* this is the one to show */
			r->addr = granule + skip;
			r->size = size;
			r->first = *first;
			r->second = *second;
			r->ordered = False;
			cr_result_place(r->addr);
		}
		return;
	}
	if (cr_nraces >= RACES_MAX)
		return;
	r = VG_(calloc)("cr.race", 1, sizeof(*r));
	r->addr = granule + skip;
	r->size = size;
	r->ordered = ordered;
	r->first = *first;
	r->second = *second;
	r->next = cr_races;
	cr_races = r;
	r->same_hash = *bucket;
	*bucket = r;
	cr_nraces++;
	cr_result_place(r->addr);
}

/* ---- history --------------------------------------------------------------------------- */

static Bool conflicts(const struct cr_record *old, const struct cr_record *new)
{
	if (!((old->kind | new->kind) & CR_WRITE) || !(old->mask & new->mask))
		return False;
	if (old->kind & new->kind & CR_ATOMIC || (old->kind | new->kind) & CR_WAITS)
		return False;
	return !cr_locksets_exclude(cr_segment(old->segment)->lockset,
				    cr_segment(new->segment)->lockset);
}

/* Whatever will conflict with @old, which is before @new, will with @new as well. */
static Bool implies(const struct cr_record *new, const struct cr_record *old)
{
	return !(old->mask & ~new->mask) && (new->kind & CR_WRITE) >= (old->kind & CR_WRITE) &&
	       (new->kind & CR_ATOMIC) <= (old->kind & CR_ATOMIC) &&
	       (new->kind & CR_WAITS) == (old->kind & CR_WAITS) &&
	       cr_lockset_within(cr_segment(new->segment)->lockset,
				 cr_segment(old->segment)->lockset);
}

/* Make room: what is before everything that still runs cannot conflict any more. */
static void prune(UInt *history, UInt n)
{
	for (UInt *at = history; *at;) {
		if (cr_segment_past(cr_record(*at)->segment)) {
			unlink_record(at);
			n--;
		} else {
			at = &cr_record(*at)->next;
		}
	}
	/* Otherwise the oldest goes, and with it what it may have conflicted with. */
	for (UInt *at = history; *at && n >= RECORDS_MAX;) {
		if (!cr_record(*at)->next) {
			unlink_record(at);
			return;
		}
		at = &cr_record(*at)->next;
	}
}

Bool cr_history_more(UInt history, UChar mask, UInt kind, ULong at)
{
	struct cr_record *r = history ? cr_record(history) : NULL;

	if (!r || r->next || r->segment != cr_me->segment || r->kind != kind ||
	    r->epoch != cr_me->epoch || r->at != at)
		return False;
	r->mask |= mask;
	r->ctx = cr_call_ctx();
	return True;
}

static UChar words_of(UChar mask)
{
	return (mask & 0xf ? 1 : 0) | (mask & 0xf0 ? 2 : 0);
}

/* In which critical section each word of a granule was accessed is not the same. */
static Bool tells_apart(const struct cr_record *r, const struct cr_record *now)
{
	return r->epoch != now->epoch && cr_segment(now->segment)->lockset &&
	       words_of(r->mask) & ~words_of(now->mask);
}

void cr_history_access(UInt *history, Addr a, UChar mask, UInt kind, ULong at)
{
	struct cr_record now = { .segment = cr_segment_now(), .ctx = cr_call_ctx(), .mask = mask,
				 .kind = kind, .at = at, .epoch = cr_me->epoch };
	UInt slot = cr_me->slot, n = 0;

	for (UInt *link = history; *link;) {
		struct cr_record *r = cr_record(*link);
		const struct cr_segment *s = cr_segment(r->segment);
		Bool before = s->slot == slot || cr_segment_before(r->segment);

		if (r->segment == now.segment && r->kind == kind &&
		    (r->at == at || !(mask & ~r->mask)) && !tells_apart(r, &now)) {
			r->mask |= mask;
			r->at = at;
			r->ctx = now.ctx;
			r->epoch = now.epoch;
			mask = 0; /* nothing to add; but the others are still to be compared */
		} else if (!before && conflicts(r, &now) && !cr_handed_over(a, r)) {
			found(a & ~(Addr)7, r, &now);
		} else if (before && implies(&now, r)) {
			unlink_record(link);
			continue;
		}
		link = &cr_record(*link)->next;
		n++;
	}
	if (!mask)
		return;
	if (n >= RECORDS_MAX)
		prune(history, n);
	n = record_new();
	now.next = *history;
	*cr_record(n) = now;
	*history = n;
}

void cr_history_sharing(UInt history, UChar mask, struct cr_sharing *s)
{
	*s = (struct cr_sharing){ 0 };
	for (UInt n = history; n; n = cr_record(n)->next) {
		const struct cr_record *r = cr_record(n);
		const struct cr_segment *seg = cr_segment(r->segment);
		Bool write = r->kind & CR_WRITE;

		if (r->kind & CR_ATOMIC)
			s->atomic |= r->mask;
		if (seg->number == cr_me->number) {
			s->mine = True;
			s->written_by_me |= write;
			if (seg->lockset && r->mask & mask && r->epoch >= s->again_epoch) {
				s->again = seg->lockset;
				s->again_epoch = r->epoch;
			}
			continue;
		}
		s->others = True;
		if (r->kind & CR_WAITS)
			s->waits |= r->mask;
		s->written_by_others |= write && !cr_segment_before(r->segment);
		if (write && r->epoch > s->handed &&
		    (r->kind & CR_ATOMIC || cr_locksets_exclude(seg->lockset, cr_me->lockset))) {
			s->handed = r->epoch;
			s->handed_by = seg->slot;
		}
	}
}

void cr_race_segments(void (*mark)(UInt segment))
{
	for (UInt n = 1; n < nrecords; n++)
		mark(cr_record(n)->segment);
	for (const struct cr_race *r = cr_races; r; r = r->next) {
		mark(r->first.segment);
		mark(r->second.segment);
	}
}

UInt cr_race_records(void)
{
	return nrecords;
}
