#include "cr_region.h"

#include <pub_tool_hashtable.h>

#include "cr_call.h"
#include "cr_label.h"
#include "cr_machine.h"
#include "cr_order.h"
#include "cr_segment.h"
#include "cr_shadow.h"

/* ---- labels ---------------------------------------------------------------------------- */

static struct value {
	UInt unit, set;
} *values; /* by number of the label */
static UInt nvalues = 1, values_room;

/* 0 if there are too many: then what the value comes from is not known. */
static cr_label label_new(UInt unit, UInt set)
{
	if (nvalues > CR_NUMBER || !unit || !set)
		return 0;
	if (nvalues >= values_room) {
		values_room = values_room ? values_room * 2 : 4096;
		values = VG_(realloc)("cr.region", values, values_room * sizeof(*values));
	}
	values[nvalues] = (struct value){ unit, set };
	return CR_TAG | nvalues++;
}

static cr_label label_of_own(void)
{
	return label_new(cr_cu_begin(), cr_cset_begin());
}

static UInt unit_of(cr_label l)
{
	UInt unit = l ? cr_cu_now(values[cr_label_number(l)].unit) : 0;

	return unit && !cr_cu_closed(unit) ? unit : 0;
}

static UInt set_of(cr_label l)
{
	return l ? cr_cset_now(values[cr_label_number(l)].set) : 0;
}

cr_label cr_region_unite(cr_label a, cr_label b)
{
	UInt x = unit_of(a), y = unit_of(b), set = cr_cset_merge(set_of(a), set_of(b));

	if (!x || !y) /* a unit that is closed takes nothing in */
		return x || !y ? a : b;
	if (x != y)
		cr_cset_refine(set, cr_cu_merge(x, y));
	return a;
}

/* ---- words ------------------------------------------------------------------------------ */

/* What one unit did to a word while only one thread had been there. */
struct span {
	UInt unit, first, last; /* first and last: lock vectors */
	Bool wrote;		/* the last access was a write */
	Bool writes;
	struct cr_record begin, end;
};

#define SPANS 2u

struct word {
	VgHashNode node; /* key: the address */
	UInt owner;	 /* number of the first thread */
	Bool shared, atomic, written;
	Bool made; /* the label is that of a write */
	ULong threads;
	UInt nspans;
	struct span spans[SPANS]; /* the oldest first */
};

static VgHashTable *words;

static struct word *word_at(Addr a, struct cr_chunk *chunk)
{
	struct word *w;

	if (!words)
		words = VG_(HT_construct)("cr.region");
	w = VG_(HT_lookup)(words, a);
	if (!w) {
		w = VG_(calloc)("cr.region", 1, sizeof(*w));
		w->node.key = a;
		VG_(HT_add_node)(words, w);
		chunk->flags[cr_granule(a)] |= CR_HAS_REGION;
	}
	return w;
}

static struct cr_record record_now(UInt kind, ULong at)
{
	return (struct cr_record){ .segment = cr_segment_now(), .ctx = cr_call_ctx(),
				   .mask = 0xf, .kind = kind, .at = at, .epoch = cr_me->epoch };
}

/*
 * An access of @unit to a word of one thread. What was written before is a true dependence, or is overwritten:
 * had it been known that the word is shared, the unit would have ended there. So the span begins anew.
 */
static void note_span(struct word *w, UInt unit, Bool write, const struct cr_record *r)
{
	struct span *s = w->nspans ? &w->spans[w->nspans - 1] : NULL;
	UInt now = cr_vector_now();

	if (s && s->wrote)
		w->nspans = 0;
	if (!s || s->wrote || cr_cu_now(s->unit) != cr_cu_now(unit)) {
		if (w->nspans == SPANS)
			w->spans[0] = w->spans[1];
		else
			w->nspans++;
		s = &w->spans[w->nspans - 1];
		*s = (struct span){ .unit = unit, .first = now, .begin = *r };
	}
	s->last = now;
	s->end = *r;
	s->wrote = write;
	s->writes |= write;
}

/* A second thread accesses the word: what the first did to it was to a shared one (Fig. 8b). */
static void become_shared(struct word *w, UInt set)
{
	w->shared = True;
	for (UInt i = 0; i < w->nspans; i++) {
		const struct span *s = &w->spans[i];
		struct cr_touched begin = { w->node.key, s->begin }, end = { w->node.key, s->end };

		cr_cu_extend(s->unit, s->first, s->last, &begin, s->writes);
		cr_cset_access(set, s->unit, &end, w->written);
	}
	w->nspans = 0;
}

static void enter(struct word *w, cr_label label, Bool write)
{
	if (!w->owner)
		w->owner = cr_me->number;
	if (!w->shared && w->owner != cr_me->number)
		become_shared(w, set_of(label));
	w->threads |= 1ull << (cr_me->number % 64);
	w->written |= write;
}

/* Words of an access: @at most are one value. */
struct place {
	struct word *word;
	cr_label *label;
};

static UInt places_of(Addr a, UInt size, struct place *p)
{
	UInt n = 0;

	for (Addr w = a & ~(Addr)3; w < a + size; w += 4) {
		struct cr_chunk *chunk = cr_chunk_of(w);

		p[n++] = (struct place){ word_at(w, chunk),
					 &chunk->cell[cr_granule(w)].label[w >> 2 & 1] };
	}
	return n;
}

#define PLACES 4u /* ten bytes of an x87 value, not aligned */

/* ---- accesses --------------------------------------------------------------------------- */

/* The unit of a value that is read from words of the thread's own, merged with @unit. */
static UInt read_own(const struct place *p, UInt unit)
{
	if (!unit_of(*p->label))
		*p->label = label_new(cr_cu_begin(), set_of(*p->label));
	return unit ? cr_cu_merge(unit, unit_of(*p->label)) : unit_of(*p->label);
}

/* A true dependence through a shared word ends the unit that wrote it; what is read begins another. */
static UInt read_shared(const struct place *p, UInt unit)
{
	if (p->word->made)
		cr_cu_close(unit_of(*p->label));
	p->word->made = False;
	return unit ? unit : cr_cu_begin();
}

static void touch(const struct place *p, UInt unit, UInt set, UInt kind, ULong at)
{
	struct cr_touched now = { p->word->node.key, record_now(kind, at) };

	if (p->word->shared) {
		cr_cu_extend(unit, cr_vector_now(), cr_vector_now(), &now, kind & CR_WRITE);
		cr_cset_access(set, unit, &now, kind & CR_WRITE);
	} else {
		note_span(p->word, unit, kind & CR_WRITE, &now.record);
	}
}

static cr_label read_value(Addr a, UInt size, ULong at)
{
	struct place p[PLACES];
	UInt n = places_of(a, size, p), unit = 0, set = 0;
	Bool same = True;

	for (UInt i = 0; i < n; i++) {
		if (p[i].word->atomic) {
			cr_acquire(a & ~(Addr)7);
			return *p[i].label;
		}
		if (!*p[i].label) {
			*p[i].label = i ? *p[0].label : label_of_own();
			p[i].word->made = False;
		}
		enter(p[i].word, *p[i].label, False);
		set = cr_cset_merge(set, set_of(*p[i].label));
		same &= !p[i].word->shared && *p[i].label == *p[0].label;
	}
	for (UInt i = 0; i < n; i++)
		unit = p[i].word->shared ? read_shared(&p[i], unit) : read_own(&p[i], unit);
	if (!unit || !set)
		return 0;
	for (UInt i = 0; i < n; i++)
		touch(&p[i], unit, set, CR_READ, at);
	return same && n == 1 ? *p[0].label : label_new(unit, set);
}

/* What is written to a part of a word joins what is in the rest. */
static void write_value(Addr a, UInt size, ULong at, cr_label label)
{
	struct place p[PLACES];
	UInt n = places_of(a, size, p);

	if (!label)
		label = label_of_own();
	else if (!unit_of(label))
		label = label_new(cr_cu_begin(), set_of(label));
	for (UInt i = 0; i < n && label; i++) {
		Addr w = p[i].word->node.key;

		if (p[i].word->atomic) {
			cr_release(a & ~(Addr)7);
			continue;
		}
		enter(p[i].word, *p[i].label, True);
		if ((w < a || w + 4 > a + size) && *p[i].label)
			label = cr_region_unite(label, *p[i].label);
		*p[i].label = label;
		p[i].word->made = True;
		touch(&p[i], unit_of(label), set_of(label), CR_WRITE, at);
	}
}

/* Vectors are several values of eight bytes. */
static UInt step_of(UInt size)
{
	return size > 8 && size % 8 == 0 ? 8 : size;
}

VG_REGPARM(2) UWord cr_region_read(UWord a, UWord at)
{
	UInt size = cr_at_size(at), step = step_of(size);
	cr_label sum = 0;

	if (a + size > CR_TOP || a + size < a || size > 32)
		return 0;
	for (UInt o = 0; o < size; o += step) {
		cr_label l = read_value(a + o, step, cr_at(cr_at_pc(at), step));

		sum = sum && l ? cr_region_unite(sum, l) : sum ? sum : l;
	}
	return sum;
}

VG_REGPARM(3) void cr_region_write(UWord a, UWord at, UWord label)
{
	UInt size = cr_at_size(at), step = step_of(size);

	if (a + size > CR_TOP || a + size < a || size > 32)
		return;
	for (UInt o = 0; o < size; o += step)
		write_value(a + o, step, cr_at(cr_at_pc(at), step), (cr_label)label);
}

/* A locked instruction orders, and is no access that could be torn. */
VG_REGPARM(2) UWord cr_region_atomic(UWord a, UWord at)
{
	struct place p[2 * PLACES];
	UInt size = cr_at_size(at), n;

	if (a + size > CR_TOP || a + size < a || size > 16)
		return 0;
	n = places_of(a, size, p);
	cr_acquire(a & ~(Addr)7);
	cr_release(a & ~(Addr)7);
	for (UInt i = 0; i < n; i++) {
		p[i].word->atomic = True;
		*p[i].label = 0;
	}
	return 0;
}

void cr_region_range(Addr a, SizeT len, Bool write, Addr pc)
{
	for (Addr end = a + len; a < end;) {
		UInt size = (UInt)(end - a < 8 - (a & 7) ? end - a : 8 - (a & 7));

		if (write)
			cr_region_write(a, cr_at(pc, size), 0);
		else
			cr_region_read(a, cr_at(pc, size));
		a += size;
	}
}

/* ---- the rest ---------------------------------------------------------------------------- */

void cr_region_forget(Addr granule)
{
	for (Addr a = granule; words && a < granule + 8; a += 4) {
		struct word *w = VG_(HT_remove)(words, a);

		if (w)
			VG_(free)(w);
	}
}

void cr_region_each(void (*take)(Addr word, UInt set, ULong threads, Bool written))
{
	struct word *w;

	if (!words)
		return;
	VG_(HT_ResetIter)(words);
	while ((w = VG_(HT_Next)(words))) {
		struct cr_chunk *c = cr_chunk_find(w->node.key);
		UInt set = c ? set_of(c->cell[cr_granule(w->node.key)].label[w->node.key >> 2 & 1]) : 0;

		if (set && w->shared && !w->atomic)
			take(w->node.key, set, w->threads, w->written);
	}
}

void cr_region_segments(void (*mark)(UInt segment))
{
	struct word *w;

	if (!words)
		return;
	VG_(HT_ResetIter)(words);
	while ((w = VG_(HT_Next)(words))) {
		for (UInt i = 0; i < w->nspans; i++) {
			mark(w->spans[i].begin.segment);
			mark(w->spans[i].end.segment);
		}
	}
}
