#include "cr_access.h"

#include "cr_call.h"
#include "cr_footprint.h"
#include "cr_gap.h"
#include "cr_handover.h"
#include "cr_label.h"
#include "cr_order.h"
#include "cr_place.h"
#include "cr_race.h"
#include "cr_region.h"
#include "cr_shadow.h"
#include "cr_unit.h"
#include "cr_update.h"

UChar cr_mask_in(Addr g, Addr a, UInt size)
{
	UInt from = a > g ? (UInt)(a - g) : 0;
	UInt to = a + size < g + 8 ? (UInt)(a + size - g) : 8;

	return (UChar)((1u << to) - (1u << from));
}

static Bool is_mine(ULong tag)
{
	return tag >> CR_TAG_SLOT_SHIFT == cr_now >> CR_TAG_SLOT_SHIFT;
}

static UInt slot_of(ULong tag)
{
	return (UInt)(tag >> CR_TAG_SLOT_SHIFT) & (CR_SLOTS - 1);
}

static void note(struct cr_cell *c, UChar mask, Bool write)
{
	if (!is_mine(c->tag))
		c->tag = cr_now & ~0xffffull;
	c->tag |= mask;
	if (write)
		c->tag |= (ULong)mask << 8;
}

static UChar words_of(UChar mask)
{
	return (UChar)((mask & 0xf ? 0xf : 0) | (mask & 0xf0 ? 0xf0 : 0));
}

/*
 * When were the words of @mask last read, at @then or before? Records of one instruction are one record, with its last
 * epoch, which may be that of the other word of the granule.
 */
static ULong read_then(const struct cr_cell *c, Addr g, UChar mask, ULong then)
{
	for (UInt i = 0; i < 2; i++) {
		cr_label l = mask >> (4 * i) & 0xf ? c->label[i] : 0;

		for (UInt k = 0; k < cr_label_count(l); k++) {
			const struct cr_source *s = cr_label_get(l, k);

			if (s->word == g + 4 * i && s->epoch < then &&
			    cr_segment(s->segment)->number == cr_me->number)
				then = s->epoch;
		}
	}
	return then;
}

/* Is it what another thread has read there, and nobody has written? The running thread, which holds a lock, has its own look at it. */
static Bool is_foreign_look(Addr g, UChar mask, const struct cr_cell *c)
{
	UInt i = mask & 0xf ? 0 : 1;
	const struct cr_source *s =
		cr_label_count(c->label[i]) == 1 ? cr_label_get(c->label[i], 0) : NULL;

	return s && cr_me->lockset && s->word == g + 4 * i &&
	       cr_segment(s->segment)->number != cr_me->number && !cr_is_constant(g);
}

/*
 * Is what the word's label says still how its value was made, or does this read begin a
 * unit? It does when others may have changed the word: they write it in parallel and no lock
 * was held throughout; or a lock that this thread had at the word was given back and taken
 * anew. As long as only one thread writes the word, all the rest flows through.
 */
static Bool begins_unit(Addr g, UChar mask, const struct cr_cell *c, const struct cr_sharing *s)
{
	ULong epoch = c->tag >> CR_TAG_NUMBER_SHIFT;
	/*
	 * If it was only the other word of the granule then it says nothing about this one. But the bytes of a word, such as those of a
	 * text, are read as one.
	 */
	UChar known = words_of((UChar)c->tag) | words_of((UChar)(c->tag >> 8) & mask);
	Bool mine = !(words_of(mask) & ~known) && slot_of(c->tag) == cr_me->slot;

	if (s->written_by_others)
		return !mine || !cr_held_since(cr_me->lockset, epoch);
	/* Another wrote it under a lock that is held now, and so was taken since. */
	if (!mine && (s->handed || is_foreign_look(g, mask, c)))
		return True;
	/* Locals are not what a lock is for, even if they are used while it is held. */
	return s->again && !cr_is_stack(g) && !cr_is_constant(g) &&
	       cr_held_again(s->again, mine ? epoch : read_then(c, g, mask, s->again_epoch));
}

/* A unit begins at @word, whose value had the label @before. */
static cr_label begin_at(Addr word, cr_label before, ULong at, const struct cr_sharing *s)
{
	cr_label l = cr_label_source(word, at, s->written_by_others ? CR_SRC_SHARED : 0, s->handed,
				     s->handed_by);

	if (!s->others && !cr_label_idle(before))
		cr_label_get(l, 0)->origin = before;
	return l;
}

static cr_label read_labels(struct cr_cell *c, Addr g, UChar mask, ULong at, Bool begins,
			    const struct cr_sharing *s)
{
	cr_label sum = 0;

	if (begins && mask == 0xff) { /* one value */
		c->label[0] = c->label[1] = begin_at(g, c->label[0], at, s);
		return c->label[0];
	}
	for (UInt i = 0; i < 2; i++) {
		if (!(mask >> (4 * i) & 0xf))
			continue;
		if (begins)
			c->label[i] = begin_at(g + 4 * i, c->label[i], at, s);
		sum = cr_label_union(sum, c->label[i]);
	}
	return sum;
}

/* Is there a word in @mask that the running thread has not accessed in this epoch? It may begin a unit. */
static Bool has_new_word(ULong tag, UChar mask)
{
	UInt known = (UInt)(tag | tag >> 8);

	return (mask & 0xf && !(known & 0xf)) || (mask & 0xf0 && !(known & 0xf0));
}

static cr_label read_granule(Addr g, UChar mask, ULong at, Bool new_sources)
{
	struct cr_chunk *chunk = cr_chunk_of(g);
	struct cr_cell *c = &chunk->cell[cr_granule(g)];
	UInt *history = &chunk->history[cr_granule(g)];
	Bool first = !is_mine(c->tag) || (c->tag & mask) != mask;
	struct cr_sharing s = { 0 };
	UInt kind = CR_READ;
	Bool begins = False;

	if (first && cr_me->lockset)
		cr_footprint_access(g, mask, CR_READ, at);
	if (first && !(is_mine(c->tag) && !has_new_word(c->tag, mask) &&
		       cr_history_more(*history, mask, kind, at))) {
		cr_history_sharing(*history, mask, &s);
		if (s.others && s.atomic & mask) {
			kind |= CR_ATOMIC;
			cr_acquire(g);
		}
		begins = new_sources && begins_unit(g, mask, c, &s);
		if (begins && s.handed)
			cr_flag_read(&s);
		if (mask == 0xff && cr_threads_count() > 1)
			cr_hand_over(g, &s);
		cr_history_access(history, g, mask, kind, at);
		if (chunk->flags[cr_granule(g)] & CR_HAS_GAP)
			cr_gap_access(g, mask, CR_READ, at);
	}
	note(c, mask, False);
	return read_labels(c, g, mask, at, begins, &s);
}

/*
 * Arrays and records are read word after word: one source for 64 bytes will do. Looks for one
 * that this thread made in the same epoch, from what is before the cell to what is after it.
 */
static cr_label source_nearby(const struct cr_cell *c, Addr a)
{
	const struct cr_cell *line = c - (a >> 3 & 7);

	for (UInt i = 0; i < 8; i++) {
		const struct cr_cell *other = &line[((a >> 3) - 1 - i) & 7];
		cr_label label = other->label[1] ? other->label[1] : other->label[0];

		label = label && other != c ? cr_label_widen(label, a & ~(Addr)63) : 0;
		if (label)
			return label;
	}
	return 0;
}

/* The word at @a holds a value of no known origin: it begins a unit. */
static cr_label begin_unit(Addr a, ULong at)
{
	struct cr_chunk *chunk;
	struct cr_cell *c;
	cr_label label;

	if (a >= CR_TOP)
		return 0;
	chunk = cr_chunk_of(a);
	c = &chunk->cell[cr_granule(a)];
	label = source_nearby(c, a);
	if (!label)
		label = cr_label_source(a & ~(Addr)3, at, cr_is_own(a) ? CR_SRC_OWN : 0, 0, 0);
	c->label[a >> 2 & 1] = label;
	if (cr_at_size(at) >= 8)
		c->label[1] = label;
	return label;
}

/* Has each of the values of @step bytes from @a on a word with a label? Bit 0 is that of a's granule. */
static Bool all_labelled(Addr a, UInt size, UInt step, UInt words)
{
	for (UInt o = a & 7; o < (a & 7) + size; o += step) {
		UInt first = o / 4, last = (o + step - 1) / 4;

		if (!(words >> first & ((2u << (last - first)) - 1)))
			return False;
	}
	return True;
}

/*
 * What this thread has read before in this epoch, at any alignment: the sum of the labels. False
 * if there is more to do, or if a value has none while that would begin a unit.
 */
static Bool read_again(Addr a, UInt size, UInt step, Bool labelled, cr_label *sum)
{
	UInt words = 0, at = 0;

	for (Addr g = a & ~(Addr)7; g < a + size; g += 8) {
		const struct cr_cell *c = &cr_chunks[g >> CR_CHUNK_BITS]->cell[cr_granule(g)];
		UChar mask = cr_mask_in(g, a, size);

		if ((c->tag ^ cr_now) & (~0xffffull | mask))
			return False;
		for (UInt i = 0; i < 2; i++, at++) {
			if (!(mask >> (4 * i) & 0xf) || !c->label[i])
				continue;
			words |= 1u << at;
			*sum = cr_label_union(*sum, c->label[i]);
		}
	}
	return !labelled || all_labelled(a, size, step, words);
}

static cr_label read_value(Addr a, ULong at, Bool new_sources, Bool labelled)
{
	UInt size = cr_at_size(at);
	cr_label sum = 0;

	for (Addr g = a & ~(Addr)7; g < a + size; g += 8)
		sum = cr_label_union(sum, read_granule(g, cr_mask_in(g, a, size), at, new_sources));
	return sum || !labelled ? sum : begin_unit(a, at);
}

/* Vectors are read as several values of eight bytes. */
static UWord on_read(Addr a, ULong at, Bool new_sources, Bool labelled)
{
	UInt size = cr_at_size(at), step = size % 8 ? size : 8;
	cr_label sum = 0;

	if (a + size > CR_TOP || a + size < a)
		return 0;
	if (size <= 32 && read_again(a, size, step, labelled, &sum))
		return sum;
	sum = 0;
	for (UInt o = 0; o < size; o += step)
		sum = cr_label_union(
			sum, read_value(a + o, cr_at(cr_at_pc(at), step), new_sources, labelled));
	return sum;
}

VG_REGPARM(2) UWord cr_on_read(UWord a, UWord at)
{
	return on_read(a, at, True, False);
}

VG_REGPARM(2) UWord cr_on_read_known(UWord a, UWord at)
{
	return on_read(a, at, False, False);
}

VG_REGPARM(2) UWord cr_on_read_new(UWord a, UWord at)
{
	return on_read(a, at, True, True);
}

/*
 * Words that were written in parts, the last ones: a word has the labels of all its bytes, and those of one
 * that is overwritten must not stay. One that is not here, or was written as a whole since, has its label in
 * all of them.
 */
#define PARTS 4096u

static struct parts {
	const cr_label *word;
	cr_label sum, byte[4];
} parts[PARTS];

static void write_part(cr_label *word, UChar part, cr_label label)
{
	struct parts *p = &parts[((UWord)word >> 2) % PARTS];

	if (p->word != word || p->sum != *word) {
		p->word = word;
		for (UInt i = 0; i < 4; i++)
			p->byte[i] = *word;
	}
	p->sum = 0;
	for (UInt i = 0; i < 4; i++) {
		if (part >> i & 1)
			p->byte[i] = label;
		p->sum = cr_label_union(p->sum, p->byte[i]);
	}
	*word = p->sum;
}

void cr_parts_forget(void)
{
	VG_(memset)(parts, 0, sizeof(parts));
}

static void write_labels(struct cr_cell *c, UChar mask, cr_label label)
{
	for (UInt i = 0; i < 2; i++) {
		UChar part = mask >> (4 * i) & 0xf;

		if (part == 0xf)
			c->label[i] = label;
		else if (part)
			write_part(&c->label[i], part, label);
	}
}

/* What the thread does from now on is not before those who wait for this; nor its next write. */
static void write_flag(struct cr_cell *c)
{
	cr_step();
	c->tag = 0;
}

/* The first write to these bytes in this epoch. Returns whether others wait for it. */
static Bool first_write(struct cr_cell *c, UInt *history, Addr g, UChar mask, ULong at,
			cr_label label)
{
	struct cr_sharing s = { 0 };
	UInt kind = CR_WRITE;

	if (!is_mine(c->tag) || !cr_history_more(*history, mask, kind, at)) {
		cr_history_sharing(*history, mask, &s);
		if (s.atomic & mask)
			kind |= CR_ATOMIC;
		cr_history_access(history, g, mask, kind, at);
	}
	cr_unit_write(c, *history, g, mask, at, label, &s);
	if (kind & CR_ATOMIC)
		cr_release(g);
	return (s.waits & mask) != 0;
}

static void write_granule(Addr g, UChar mask, ULong at, cr_label label)
{
	struct cr_chunk *chunk = cr_chunk_of(g);
	struct cr_cell *c = &chunk->cell[cr_granule(g)];
	Bool waited = False;

	if (!is_mine(c->tag) || (c->tag >> 8 & mask) != mask) {
		waited = first_write(c, &chunk->history[cr_granule(g)], g, mask, at, label);
		if (cr_me->lockset)
			cr_footprint_access(g, mask, CR_WRITE, at);
		if (chunk->flags[cr_granule(g)] & CR_HAS_GAP)
			cr_gap_access(g, mask, CR_WRITE, at);
	}
	note(c, mask, True);
	if (waited)
		write_flag(c);
	write_labels(c, mask, label);
}

cr_label cr_written_data;

static void write_value(Addr a, UInt size, ULong at, cr_label label)
{
	for (Addr g = a & ~(Addr)7; g < a + size; g += 8)
		write_granule(g, cr_mask_in(g, a, size), at, label);
}

VG_REGPARM(3) void cr_on_write(UWord a, UWord at, UWord label)
{
	UInt size = cr_at_size(at);
	cr_label all = (cr_label)label;

	if (a + size > CR_TOP || a + size < a)
		return;
	if (label >> 32 && cr_me->lockset)
		cr_update_entry(a, (cr_label)(label >> 32));
	cr_written_data = all;
	if (at & CR_AT_DECIDED)
		all = cr_label_union(all, cr_control);
	if (size <= 8 || size % 8) {
		write_value(a, size, at, all);
		return;
	}
	for (UInt o = 0; o < size; o += 8) /* a vector */
		write_value(a + o, 8, cr_at(cr_at_pc(at), 8), all);
}

VG_REGPARM(2) UWord cr_on_lookup(UWord a, UWord label)
{
	const struct cr_chunk *c = cr_chunk_find(a);

	for (UInt n = c ? c->history[cr_granule(a)] : 0; n; n = cr_record(n)->next) {
		if (cr_record(n)->kind & CR_WRITE)
			return 0;
	}
	return cr_is_stack(a) || cr_label_own((cr_label)label) ? 0 : label;
}

VG_REGPARM(2) UWord cr_on_plain_read(UWord a, UWord at)
{
	UInt size = cr_at_size(at);
	cr_label sum = 0;

	for (Addr w = a & ~(Addr)3; w < a + size; w += 4) {
		struct cr_chunk *chunk = cr_chunk_find(w);

		if (chunk)
			sum = cr_label_union(sum, chunk->cell[cr_granule(w)].label[w >> 2 & 1]);
	}
	return sum;
}

VG_REGPARM(3) void cr_on_plain_write(UWord a, UWord at, UWord label)
{
	UInt size = cr_at_size(at);

	if (a + size > CR_TOP || a + size < a)
		return;
	for (Addr g = a & ~(Addr)7; g < a + size; g += 8) {
		struct cr_chunk *chunk = label ? cr_chunk_of(g) : cr_chunk_find(g);

		if (chunk)
			write_labels(&chunk->cell[cr_granule(g)], cr_mask_in(g, a, size),
				     (cr_label)label);
	}
}

/* Told after the instruction; both an acquire and a release. */
VG_REGPARM(2) UWord cr_on_atomic(UWord a, UWord at)
{
	UInt size = cr_at_size(at);
	cr_label label = 0;

	if (a + size > CR_TOP || a + size < a)
		return 0;
	for (Addr g = a & ~(Addr)7; g < a + size; g += 8) {
		struct cr_chunk *chunk = cr_chunk_of(g);
		struct cr_cell *c = &chunk->cell[cr_granule(g)];
		UChar mask = cr_mask_in(g, a, size);

		cr_acquire(g);
		cr_history_access(&chunk->history[cr_granule(g)], g, mask, CR_WRITE | CR_ATOMIC,
				  at);
		cr_release(g);
		c->tag = 0;
		c->label[0] = c->label[1] = 0;
	}
	return label;
}

VG_REGPARM(2) void cr_on_together(UWord first, UWord second)
{
	struct cr_block x, y;

	if (cr_options.paper || cr_threads_count() < 2 || !cr_is_shared(first) ||
	    !cr_is_shared(second))
		return;
	if (cr_heap_find(first, &x) != cr_heap_find(second, &y) ||
	    (cr_heap_find(first, &x) && x.addr != y.addr))
		return;
	cr_unit_same(first, second);
}

void cr_range(Addr a, SizeT len, Bool write, Addr pc)
{
	Addr end = a + len;

	if (end < a || end > CR_TOP || !cr_watching)
		return;
	if (cr_options.paper) {
		cr_region_range(a, len, write, pc);
		return;
	}
	for (Addr g = a & ~(Addr)7; g < end; g += 8) {
		Addr from = g > a ? g : a, to = g + 8 < end ? g + 8 : end;
		ULong at = cr_at(pc, (UInt)(to - from));

		if (write)
			cr_on_write(from, at, 0);
		else
			cr_on_read_known(from, at);
	}
}
