#include "cr_machine.h"

#include "cr_result.h"
#include "cr_segment.h"
#include "cr_thread.h"

#define UNITS_MAX (1u << 24)
#define SETS_MAX (1u << 24)
#define CANDIDATES 16u /* locks of a set */

/* ---- lock vectors --------------------------------------------------------------------- */

struct acquisition {
	UInt lock;
	Bool shared;
	ULong since; /* the epoch that began with it: there is one for each */
};

static struct acquisition *acquisitions;
static UInt nacquisitions, acquisitions_room;

static struct vector {
	ULong when; /* epoch */
	UInt from, n; /* of acquisitions */
} *vectors;
static UInt nvectors = 1, vectors_room;

static void add_acquisition(const struct cr_held *h)
{
	if (nacquisitions == acquisitions_room) {
		acquisitions_room = acquisitions_room ? acquisitions_room * 2 : 1024;
		acquisitions = VG_(realloc)("cr.machine", acquisitions,
					    acquisitions_room * sizeof(*acquisitions));
	}
	acquisitions[nacquisitions++] = (struct acquisition){ h->id, h->shared, h->since };
}

UInt cr_vector_now(void)
{
	if (nvectors > 1 && vectors[nvectors - 1].when == cr_me->epoch)
		return nvectors - 1;
	if (nvectors >= vectors_room) {
		vectors_room = vectors_room ? vectors_room * 2 : 1024;
		vectors = VG_(realloc)("cr.machine", vectors, vectors_room * sizeof(*vectors));
	}
	vectors[nvectors] = (struct vector){ cr_me->epoch, nacquisitions, cr_me->nheld };
	for (UInt i = 0; i < cr_me->nheld; i++)
		add_acquisition(&cr_me->held[i]);
	return nvectors++;
}

/* ---- units ---------------------------------------------------------------------------- */

struct unit {
	UInt parent;      /* itself: not merged into another */
	UInt first, last; /* lock vectors at the ends of its shared part; 0: it has none */
	Bool closed, writes;
	struct cr_touched begin; /* of the shared part */
};

static struct unit *units;
static UInt nunits = 1, units_room;

UInt cr_cu_begin(void)
{
	if (nunits >= UNITS_MAX)
		return 0;
	if (nunits >= units_room) {
		units_room = units_room ? units_room * 2 : 4096;
		units = VG_(realloc)("cr.machine", units, units_room * sizeof(*units));
	}
	units[nunits] = (struct unit){ .parent = nunits };
	return nunits++;
}

UInt cr_cu_now(UInt unit)
{
	while (unit && units[unit].parent != unit)
		unit = units[unit].parent = units[units[unit].parent].parent;
	return unit;
}

Bool cr_cu_closed(UInt unit)
{
	return units[cr_cu_now(unit)].closed;
}

void cr_cu_close(UInt unit)
{
	if (unit)
		units[cr_cu_now(unit)].closed = True;
}

void cr_cu_extend(UInt unit, UInt first, UInt last, const struct cr_touched *begin, Bool write)
{
	struct unit *u = &units[cr_cu_now(unit)];

	u->writes |= write;
	if (!u->first || first < u->first) {
		u->first = first;
		u->begin = *begin;
	}
	if (last > u->last)
		u->last = last;
}

UInt cr_cu_merge(UInt a, UInt b)
{
	const struct unit *from;

	a = cr_cu_now(a);
	b = cr_cu_now(b);
	if (!a || !b || a == b)
		return a ? a : b;
	from = &units[b];
	if (from->first)
		cr_cu_extend(a, from->first, from->last, &from->begin, from->writes);
	units[b].parent = a;
	return a;
}

/* ---- locks of units and sets ------------------------------------------------------------ */

struct locks {
	Bool all;
	UInt n, id[CANDIDATES];
};

/*
 * L_u: those held at the beginning of the shared part and not given back until its end. A lock that is held for reading
 * keeps nobody out who only reads, so it counts only for units that do.
 */
static struct locks locks_of(UInt unit)
{
	const struct unit *u = &units[cr_cu_now(unit)];
	const struct vector *first = &vectors[u->first], *last = &vectors[u->last];
	struct locks l = { .all = !u->first };

	for (UInt i = 0; !l.all && i < last->n && l.n < CANDIDATES; i++) {
		const struct acquisition *a = &acquisitions[last->from + i];

		if (a->since <= first->when && !(a->shared && u->writes))
			l.id[l.n++] = a->lock;
	}
	return l;
}

static void intersect(struct locks *to, const struct locks *with)
{
	UInt n = 0;

	if (with->all)
		return;
	if (to->all) {
		*to = *with;
		return;
	}
	for (UInt i = 0; i < to->n; i++) {
		for (UInt k = 0; k < with->n; k++) {
			if (to->id[i] == with->id[k]) {
				to->id[n++] = to->id[i];
				break;
			}
		}
	}
	to->n = n;
}

static Bool is_empty(const struct locks *l)
{
	return !l->all && !l->n;
}

/* ---- sets ----------------------------------------------------------------------------- */

enum state { NOT_ACCESSED, EXCLUSIVE_READ, EXCLUSIVE_WRITE, SHARED_READ, SHARED_WRITE, RACE };

struct set {
	UInt parent;
	enum state state;
	struct locks candidates; /* C_s */
	struct cr_touched last;	 /* v_s is that of its segment */
	struct cr_touched other; /* the last of another thread than that */
	struct cr_touched begin, end; /* of the last unit that left no lock, though it has some */
};

static struct set *sets;
static UInt nsets = 1, sets_room;
struct cr_unprotected *cr_unprotected;

UInt cr_cset_begin(void)
{
	if (nsets >= SETS_MAX)
		return 0;
	if (nsets >= sets_room) {
		sets_room = sets_room ? sets_room * 2 : 4096;
		sets = VG_(realloc)("cr.machine", sets, sets_room * sizeof(*sets));
	}
	sets[nsets] = (struct set){ .parent = nsets, .candidates.all = True };
	return nsets++;
}

UInt cr_cset_now(UInt set)
{
	while (set && sets[set].parent != set)
		set = sets[set].parent = sets[sets[set].parent].parent;
	return set;
}

UInt cr_cset_most(void)
{
	return nsets;
}

static Bool is_shared(enum state s)
{
	return s == SHARED_READ || s == SHARED_WRITE;
}

static Bool is_written(enum state s)
{
	return s == EXCLUSIVE_WRITE || s == SHARED_WRITE;
}

/* The state of the union of two sets that were accessed. The paper does not say; nothing that was seen is forgotten. */
static enum state merged_state(enum state a, enum state b)
{
	if (a == RACE || b == RACE)
		return RACE;
	if (is_shared(a) || is_shared(b))
		return is_written(a) || is_written(b) ? SHARED_WRITE : SHARED_READ;
	return a > b ? a : b;
}

static UInt thread_of(const struct cr_touched *t)
{
	return cr_segment(t->record.segment)->number;
}

static void note_access(struct set *s, const struct cr_touched *now)
{
	if (s->last.record.segment && thread_of(&s->last) != thread_of(now))
		s->other = s->last;
	s->last = *now;
}

UInt cr_cset_merge(UInt a, UInt b)
{
	struct set *x, *y;

	a = cr_cset_now(a);
	b = cr_cset_now(b);
	if (!a || !b || a == b)
		return a ? a : b;
	x = &sets[a];
	y = &sets[b];
	if (x->state == NOT_ACCESSED) {
		y->parent = a;
		*x = (struct set){ .parent = a, .state = y->state, .candidates = y->candidates,
				   .last = y->last, .other = y->other,
				   .begin = y->begin, .end = y->end };
		return a;
	}
	y->parent = a;
	if (y->state == NOT_ACCESSED)
		return a;
	x->state = merged_state(x->state, y->state);
	intersect(&x->candidates, &y->candidates);
	if (y->end.record.epoch > x->end.record.epoch) {
		x->begin = y->begin;
		x->end = y->end;
	}
	if (y->last.record.epoch > x->last.record.epoch) {
		struct cr_touched before = x->last;

		x->last = y->last;
		if (y->other.record.segment)
			x->other = y->other;
		if (thread_of(&before) != thread_of(&x->last))
			x->other = before;
	}
	return a;
}

/* Remember a unit that gives the set no lock because it gave those back that it had. */
static void note_torn(struct set *s, UInt unit, const struct cr_touched *now)
{
	const struct unit *u = &units[cr_cu_now(unit)];
	struct locks own = locks_of(unit);

	if (!is_empty(&own) || u->first == u->last || !vectors[u->first].n)
		return;
	s->begin = u->begin;
	s->end = *now;
}

static void found(UInt set)
{
	struct set *s = &sets[set];
	struct cr_unprotected *f = VG_(calloc)("cr.machine", 1, sizeof(*f));

	s->state = RACE;
	*f = (struct cr_unprotected){ .next = cr_unprotected, .set = set, .first = s->other,
				      .second = s->last, .begin = s->begin, .end = s->end };
	cr_unprotected = f;
	cr_result_place(f->first.word);
	cr_result_place(f->second.word);
}

/*
 * Is the last access to the set before @now, v_s < v'? Of one thread with the same clock they are equal, which is
 * not before: what is shared stays so, and C_s is refined.
 */
static Bool is_after_last(const struct set *s, const struct cr_touched *now)
{
	if (thread_of(&s->last) == thread_of(now))
		return !is_shared(s->state) || cr_segment(s->last.record.segment)->clock <
						       cr_segment(now->record.segment)->clock;
	/* What a thread did while a word was its own is told later, when that thread does not run. */
	if (thread_of(now) != cr_me->number)
		return thread_of(&s->last) != cr_me->number && cr_segment_before(s->last.record.segment);
	return cr_segment_before(s->last.record.segment);
}

/* What another did before, while the word was its own, is told after the running thread has accessed the set. */
static Bool is_told_late(const struct set *s, const struct cr_touched *now)
{
	return s->state != NOT_ACCESSED && thread_of(now) != cr_me->number &&
	       thread_of(&s->last) == cr_me->number && cr_segment_before(now->record.segment);
}

void cr_cset_access(UInt set, UInt unit, const struct cr_touched *now, Bool wrote)
{
	UInt number = cr_cset_now(set);
	struct set *s = &sets[number];
	struct locks locks = locks_of(unit);

	if (!number || s->state == RACE || is_told_late(s, now))
		return;
	note_torn(s, unit, now);
	if (s->state == NOT_ACCESSED || is_after_last(s, now)) {
		s->state = wrote || s->state == EXCLUSIVE_WRITE ? EXCLUSIVE_WRITE : EXCLUSIVE_READ;
		s->candidates = locks;
	} else {
		s->state = wrote || is_written(s->state) ? SHARED_WRITE : SHARED_READ;
		intersect(&s->candidates, &locks);
	}
	note_access(s, now);
	if (s->state == SHARED_WRITE && is_empty(&s->candidates))
		found(number);
}

void cr_cset_refine(UInt set, UInt unit)
{
	UInt number = cr_cset_now(set);
	struct set *s = &sets[number];
	struct locks locks = locks_of(unit);

	if (!number || s->state == RACE || s->state == NOT_ACCESSED || locks.all)
		return;
	note_torn(s, unit, &s->last);
	intersect(&s->candidates, &locks);
	if (s->state == SHARED_WRITE && is_empty(&s->candidates))
		found(number);
}

void cr_machine_segments(void (*mark)(UInt segment))
{
	for (UInt i = 1; i < nunits; i++)
		mark(units[i].begin.record.segment);
	for (UInt i = 1; i < nsets; i++) {
		mark(sets[i].last.record.segment);
		mark(sets[i].other.record.segment);
		mark(sets[i].begin.record.segment);
		mark(sets[i].end.record.segment);
	}
	for (const struct cr_unprotected *f = cr_unprotected; f; f = f->next) {
		mark(f->first.record.segment);
		mark(f->begin.record.segment);
		mark(f->end.record.segment);
		mark(f->second.record.segment);
	}
}
