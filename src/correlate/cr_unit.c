#include "cr_unit.h"

#include <pub_tool_aspacemgr.h>
#include <pub_tool_vki.h>

#include "cr_access.h"
#include "cr_call.h"
#include "cr_claim.h"
#include "cr_flow.h"
#include "cr_footprint.h"
#include "cr_gap.h"
#include "cr_place.h"
#include "cr_result.h"
#include "cr_update.h"

#define TORNS_MAX 4096u
#define MAPPED	  65536u /* lower addresses are none */

/* ---- units that were torn ------------------------------------------------------------- */

struct cr_torn *cr_torns; /* in the order in which they were found */
static struct cr_torn **last_torn = &cr_torns;
UInt cr_ntorns;
ULong cr_torn_changes;
static UInt nvias; /* of them, those that went through memory which may be the thread's own */
static struct cr_torn *by_word[1024];

static struct cr_torn **bucket_of(Addr word)
{
	return &by_word[cr_hash(word, 1) % 1024];
}

/* NULL if there are too many, or if it is claimed now but was not before: that is what counts. */
static struct cr_torn *torn_new(enum cr_torn_kind kind, Addr word, const struct cr_record *read,
				const struct cr_record *write)
{
	struct cr_torn **bucket = bucket_of(word), *t;
	struct cr_claims claims;

	cr_torn_changes++;
	cr_claims_now(&claims);
	claims = cr_claims_among(&claims, 0);
	for (t = *bucket; t; t = t->same_hash) {
		if (t->kind == kind && t->word == word && t->read.at == read->at &&
		    t->write.at == write->at &&
		    cr_segment(t->write.segment)->number == cr_segment(write->segment)->number) {
			t->times++;
			if (claims.n && !t->claims.n)
				return NULL;
			t->write.segment =
				write->segment; /* the latest is the last to be ordered */
			t->write.epoch = write->epoch;
			t->read.segment = read->segment;
			t->claims = claims;
			return t;
		}
	}
	if (cr_ntorns >= TORNS_MAX)
		return NULL;
	t = VG_(calloc)("cr.torn", 1, sizeof(*t));
	t->kind = kind;
	t->word = word;
	t->read = *read;
	t->write = *write;
	t->times = 1;
	t->claims = claims;
	t->same_hash = *bucket;
	*bucket = t;
	*last_torn = t;
	last_torn = &t->next;
	cr_ntorns++;
	cr_result_place(word);
	return t;
}

/* Somebody else's write that nothing puts before or after the unit. */
static void look_back(struct cr_torn *t, UInt history, UChar mask)
{
	for (UInt n = history; n && !t->between.segment; n = cr_record(n)->next) {
		const struct cr_record *r = cr_record(n);

		if (r->kind & CR_WRITE && r->mask & mask &&
		    cr_segment(r->segment)->number != cr_me->number &&
		    !cr_gap_before(r, t->word, &t->claims))
			t->between = *r;
	}
}

static Bool writes_word(const struct cr_record *r, Addr word)
{
	return r->kind & CR_WRITE && r->mask >> (word & 4) & 0xf;
}

static Bool has_written(UInt number, Addr word)
{
	const struct cr_chunk *c = cr_chunk_find(word);

	for (UInt n = c ? c->history[cr_granule(word)] : 0; n; n = cr_record(n)->next) {
		const struct cr_record *r = cr_record(n);

		if (writes_word(r, word) && cr_segment(r->segment)->number == number)
			return True;
	}
	return False;
}

/* This write may come between the read and the write of units that were seen before. */
static void look_ahead(Addr word, const struct cr_record *write)
{
	for (struct cr_torn *t = *bucket_of(word); t; t = t->same_hash) {
		if (t->word == word && (!t->between.segment || t->same_code || t->alone) &&
		    cr_segment(t->write.segment)->number != cr_me->number &&
		    !cr_gap_before(&t->write, word, &t->claims)) {
			t->between = *write;
			t->same_code = False;
			if (t->alone && has_written(cr_me->number, t->other))
				t->alone = False;
		}
	}
}

static Bool is_current(const struct cr_source *s)
{
	const struct cr_segment *seg = cr_segment(s->segment);

	return seg->number == cr_me->number && cr_held_since(seg->lockset, s->epoch);
}

static Bool has_current(cr_label l, Addr word)
{
	for (UInt i = 0; i < cr_label_count(l); i++) {
		const struct cr_source *s = cr_label_get(l, i);

		if (s->word == word && is_current(s))
			return True;
	}
	return False;
}

/* Is what @now was read from read in @label a second time, before this critical section? */
static Bool has_stale(cr_label label, const struct cr_source *now)
{
	for (UInt i = 0; i < cr_label_count(label); i++) {
		const struct cr_source *s = cr_label_get(label, i);

		if (s->word == now->word && s->epoch < now->epoch && !is_current(s))
			return True;
	}
	return False;
}

void cr_unit_decided(cr_label label)
{
	for (UInt i = 0; i < cr_label_count(label); i++) {
		const struct cr_source *s = cr_label_get(label, i);

		if (is_current(s) && has_stale(label, s))
			cr_me->checked[cr_me->nchecked++ % CR_CHECKED] =
				(struct cr_checked){ s->word, cr_segment(s->segment)->lockset,
						     s->epoch };
	}
}

static Bool is_checked(Addr word)
{
	for (UInt i = 0; i < CR_CHECKED; i++) {
		const struct cr_checked *c = &cr_me->checked[i];

		if (c->word == word && cr_held_since(c->lockset, c->epoch))
			return True;
	}
	return False;
}

Bool cr_unit_checked(void)
{
	for (UInt i = 0; i < CR_CHECKED; i++) {
		const struct cr_checked *c = &cr_me->checked[i];

		if (c->word && cr_held_since(c->lockset, c->epoch))
			return True;
	}
	return False;
}

/* Is the word of @t compared in @label as well, and no local? */
static Bool is_compared(const struct cr_source *t, cr_label label)
{
	for (UInt i = 0; i < cr_label_count(label); i++) {
		if (cr_label_get(label, i)->word == t->word)
			return True;
	}
	return False;
}

/* What @word is compared with in @label: other words, but no locals. How many are they, and how many of them are in @other? */
static UInt compared_with(Addr word, cr_label label, cr_label other, UInt *common)
{
	UInt n = 0;

	for (UInt i = 0; i < cr_label_count(label); i++) {
		const struct cr_source *t = cr_label_get(label, i);

		if (t->word == word || cr_is_stack(t->word) || cr_is_constant(t->word))
			continue;
		n++;
		*common += is_compared(t, other);
	}
	return n;
}

/*
 * What was read as @s was compared with one word, and in @fresh it is compared with another: that is no second look, but about something
 * else, such as where a block of a queue ends.
 */
static Bool asks_other(const struct cr_source *s, cr_label fresh)
{
	for (UInt up = 0, callers = cr_call_callers(); s && up <= callers; up++) {
		const struct cr_branch *b;
		UInt n = cr_call_decisions(up, &b);

		for (UInt i = 0; i < n; i++) {
			UInt common = 0;

			if (cr_label_has(b[i].label, s))
				return compared_with(s->word, b[i].label, fresh, &common) &&
				       compared_with(s->word, fresh, b[i].label, &common) &&
				       !common;
		}
	}
	return False;
}

/*
 * Was the word read again in this critical section, and the write made to depend on that? Each
 * decision around the write is asked by itself: the sum of them may have left that one out. Or it
 * was compared with what it was before: where the other way goes back to try again, compilers make
 * the write follow the loop, and no decision is around it.
 */
static Bool validates(const struct cr_source *s, Addr word)
{
	if (!cr_me->lockset)
		return False;
	if (is_checked(word))
		return True;
	for (UInt up = 0, callers = cr_call_callers(); up <= callers; up++) {
		const struct cr_branch *b;
		UInt n = cr_call_decisions(up, &b);

		for (UInt i = 0; i < n; i++) {
			if (!cr_label_idle(b[i].label) && has_current(b[i].label, word) &&
			    !asks_other(s, b[i].label))
				return True;
		}
	}
	return False;
}

Bool cr_unit_validated(Addr word)
{
	return validates(NULL, word);
}

/* Has nobody written it but before the running thread began to, such as a size that was set once? */
static Bool is_settled(Addr word)
{
	const struct cr_chunk *c = cr_chunk_find(word);

	for (UInt n = c ? c->history[cr_granule(word)] : 0; n; n = cr_record(n)->next) {
		const struct cr_record *r = cr_record(n);

		if (writes_word(r, word) && (cr_segment(r->segment)->number == cr_me->number ||
					     !cr_segment_before(r->segment)))
			return False;
	}
	return True;
}

/* Is it a local, or settled? That is what the thread asks for, and not what it finds. */
static Bool is_asked(const struct cr_source *s)
{
	return cr_is_stack(s->word) || is_settled(s->word);
}

/* Is @s all that is found in @label? What was read of the same word before was for earlier rounds. */
static Bool is_all_of(cr_label label, const struct cr_source *s)
{
	for (UInt i = 0; i < cr_label_count(label); i++) {
		const struct cr_source *t = cr_label_get(label, i);

		if (t->word == s->word ? t->epoch > s->epoch : !is_asked(t))
			return False;
	}
	return cr_label_has(label, s);
}

/*
 * Where it is decided by @s alone whether there is a write: in this function, or in one that called it, if the write is
 * made whatever it decides itself.
 */
static void note_decision(struct cr_torn *t, const struct cr_source *s)
{
	Addr pc = cr_at_pc(t->write.at) - 1;

	for (UInt up = 0, callers = cr_call_callers(); up <= callers; up++) {
		const struct cr_branch *b;
		UInt n = cr_call_decisions(up, &b);

		/* What it decides first leads to where it is asked again. */
		for (UInt i = n; i > 0; i--) {
			if (!is_all_of(b[i - 1].label, s) ||
			    !cr_flow_decides(b[i - 1].pc, b[i - 1].way, pc))
				continue;
			pc = b[i - 1].pc;
			t->decided_at = pc;
			t->way = b[i - 1].way;
			t->looked_at = s->decides_at;
			t->looked_way = s->way;
		}
		if (n || up >= cr_me->nframes)
			return;
		pc = cr_me->frames[cr_me->nframes - 1 - up].pc - 1;
	}
}

/*
 * Is what was at @word kept in another place by this critical section, as when an item is put before the others of a list? Then
 * nothing that others have put there is lost.
 */
static Bool is_put_before(Addr word)
{
	const struct cr_section *now = cr_section_now();

	for (UInt i = 0; i < now->n; i++) {
		const struct cr_written *w = &now->written[i];

		for (UInt k = 0; w->word != word && k < w->ndata; k++) {
			if (w->data[k].word == word && w->data[k].epoch >= now->since)
				return True;
		}
	}
	return False;
}

/* In the critical section that began in epoch @since, did it decide by another word than @word and replace that? */
static Bool has_taken(ULong since, Addr word)
{
	for (UInt i = 0; i < CR_TAKEN; i++) {
		if (cr_me->taken[i].since == since && cr_me->taken[i].word != word)
			return True;
	}
	return False;
}

Bool cr_unit_for_round(const struct cr_source *s, Addr word)
{
	Bool found = False;

	for (UInt up = 0, callers = cr_call_callers(); up <= callers; up++) {
		const struct cr_branch *b;
		UInt n = cr_call_decisions(up, &b);

		for (UInt i = 0; i < n; i++) {
			if (!cr_label_has(b[i].label, s) && !cr_label_has(b[i].closing, s))
				continue;
			if (!cr_flow_ends_round(b[i].pc))
				return False;
			found = True;
		}
	}
	return found && has_taken(s->since, word);
}

/* A value of @label, in calls that @outer decided, replaces what is at @word: does it not matter what that was as @s? */
static Bool is_no_loss(cr_label label, cr_label outer, const struct cr_source *s, Addr word)
{
	if (s->word != word)
		return True;
	if (has_current(label, word) && cr_unit_for_round(s, word))
		return True;
	if (!cr_label_has(label, s))
		return False;
	return !cr_label_has(cr_control, s) && !cr_label_has(outer, s) && is_put_before(word);
}

/* Is what is written now made of @s, and not only decided by it? */
static Bool is_made_of(const struct cr_source *s, const struct cr_record *write)
{
	return !(write->at & CR_AT_CONSTANT) && cr_label_has(cr_written_data, s);
}

/*
 * Did the thread replace what it read as @s, in the same critical section? A ticket, or an item that was taken away, is its
 * own. But if something is made of it that replaces what is there once more, without looking, then what others have made of the
 * first is lost.
 */
static Bool is_taken(const struct cr_source *s, cr_label label, const struct cr_record *write)
{
	if (!(s->flags & CR_SRC_CONSUMED))
		return False;
	return !(s->flags & CR_SRC_GREW) || !is_made_of(s, write) || has_current(label, s->word);
}

/*
 * Of what is on the thread's own stack it is not looked when it is read again (cr_access.c), as long as nobody else has written it:
 * what was read last is not known then.
 */
static Bool is_local(Addr word, UInt history)
{
	for (UInt n = cr_is_stack(word) ? history : 0; n; n = cr_record(n)->next) {
		const struct cr_record *r = cr_record(n);

		if (writes_word(r, word) && cr_segment(r->segment)->number != cr_me->number)
			return False;
	}
	return cr_is_stack(word);
}

/*
 * What is written to @word was computed from what the word was in an earlier critical section:
 * the lock was given back in between. A value that the thread replaced in the same
 * critical section (a ticket, an item that it took away) is its own and not stale.
 */
static void check_stale(const struct cr_source *s, Addr via, Addr word, UInt history, UChar mask,
			const struct cr_record *write)
{
	const struct cr_segment *seg = cr_segment(s->segment);
	struct cr_record read = {
		.segment = s->segment, .ctx = s->ctx, .mask = 0xf, .kind = CR_READ, .at = s->at
	};
	struct cr_torn *t;

	if (s->word != word || !seg->lockset || is_current(s) || seg->number != cr_me->number ||
	    !cr_me->lockset || is_local(word, history) || validates(s, word))
		return;
	t = torn_new(CR_TORN_RELEASED, word, &read, write);
	if (!t)
		return;
	if (t->times == 1 && via) {
		t->via = via;
		nvias++;
	}
	note_decision(t, s);
	if (!t->between.segment) /* of more than was read, the rest does not matter */
		look_back(t, history, mask & cr_source_read(s).mask);
}

void cr_unit_advanced(Addr index, Addr entry, const struct cr_record *read,
		      const struct cr_record *write)
{
	struct cr_torn *t = torn_new(CR_TORN_RELEASED, index, read, write);
	const struct cr_chunk *c = cr_chunk_find(index);

	if (!t)
		return;
	t->indexed = True;
	cr_unit_same(index, entry);
	if (c && !t->between.segment)
		look_back(t, c->history[cr_granule(index)], read->mask);
}

void cr_unit_swapped(Addr word, const struct cr_record *read, const struct cr_record *write)
{
	const struct cr_chunk *c = cr_chunk_find(word);
	struct cr_torn *t = cr_footprint_reads(word) || cr_unit_validated(word)
				    ? NULL
				    : torn_new(CR_TORN_RELEASED, word, read, write);

	if (t && c && !t->between.segment)
		look_back(t, c->history[cr_granule(word)], write->mask);
}

/* The running thread's last look at @word, whose cell has @label, if that was in an earlier critical section; or NULL. */
static const struct cr_source *look_before(Addr word, cr_label label)
{
	for (UInt i = 0; i < cr_label_count(label); i++) {
		const struct cr_source *s = cr_label_get(label, i);
		const struct cr_segment *seg = cr_segment(s->segment);

		if (s->word == word)
			return seg->number == cr_me->number && seg->lockset && !is_current(s) &&
					       !(s->flags & CR_SRC_CONSUMED)
				       ? s
				       : NULL;
	}
	return NULL;
}

/* Is a value of @label made of what is in the object at @object, which is in its first bytes or in its block? Another variable is none of them. */
static Bool is_from(cr_label label, Addr object)
{
	struct cr_block b;
	Bool in_block = cr_heap_find(object, &b);
	Addr end = in_block ? b.addr + b.size : object + CR_OBJECT;

	for (UInt i = 0; i < cr_label_count(label); i++) {
		const struct cr_source *s = cr_label_get(label, i);
		Addr line = s->flags & CR_SRC_WIDE ? s->word & ~(Addr)63 : s->word;
		SizeT size = s->flags & CR_SRC_WIDE ? 64 : 4;

		if (!cr_label_has(cr_control, s) && line < end && line + size > object &&
		    (in_block || !cr_are_variables(object, s->word)))
			return True;
	}
	return False;
}

/*
 * {o = head} {head = o->next}: what is written was read through what the word was in an earlier critical section. That is
 * an address and no data, but it comes back to the same word.
 */
static void check_through(Addr word, UInt history, cr_label before, cr_label label,
			  const struct cr_record *write)
{
	const struct cr_source *s = look_before(word, before);
	Addr old =
		s && VG_(am_is_valid_for_client)(word, 8, VKI_PROT_READ) ? *(const Addr *)word : 0;
	struct cr_record read;
	struct cr_torn *t;

	if (old < MAPPED || cr_is_stack(word) || !is_from(label, old) || cr_unit_validated(word))
		return;
	read = cr_source_read(s);
	t = torn_new(CR_TORN_RELEASED, word, &read, write);
	if (t && !t->between.segment)
		look_back(t, history, 0xff);
}

/* The newest source of @label that was found; NULL: none was. */
static const struct cr_source *newest_of(cr_label label)
{
	const struct cr_source *newest = NULL;

	for (UInt i = 0; i < cr_label_count(label); i++) {
		const struct cr_source *s = cr_label_get(label, i);

		if ((!newest || s->epoch > newest->epoch) && !is_asked(s))
			newest = s;
	}
	return newest;
}

/*
 * Does @t decide by a read of @s at @pc, as its code is written, and go the other way? The compiler may have made copies of
 * it.
 */
static Bool went_other_way(const struct cr_torn *t, const struct cr_source *s, Addr pc, UInt way)
{
	if (!t->decided_at ||
	    !((t->way != way && cr_is_same_line(t->decided_at, pc)) ||
	      (t->looked_at && t->looked_way != way && cr_is_same_line(t->looked_at, pc))))
		return False;
	return cr_is_same_line(cr_at_pc(t->read.at) - 1, cr_at_pc(s->at) - 1);
}

static Bool excludes(const struct cr_source *s, const struct cr_record *r)
{
	return cr_locksets_exclude(cr_segment(s->segment)->lockset,
				   cr_segment(r->segment)->lockset);
}

/* May the running thread, which decides at @pc by @s, come into @t and do the same? As far as that is soon found out. */
static Bool may_repeat(const struct cr_torn *t, const struct cr_source *s, Addr pc, UInt way)
{
	return t->word == s->word && !t->between.segment && !cr_claim_over(&t->claims) &&
	       cr_segment(t->write.segment)->number != cr_me->number &&
	       cr_segment(s->segment)->number == cr_me->number && went_other_way(t, s, pc, way) &&
	       (excludes(s, &t->read) || excludes(s, &t->write));
}

static Bool may_repeat_any(cr_label label, Addr pc, UInt way)
{
	for (UInt i = 0; i < cr_label_count(label); i++) {
		const struct cr_source *s = cr_label_get(label, i);

		for (const struct cr_torn *t = *bucket_of(s->word); t; t = t->same_hash) {
			if (may_repeat(t, s, pc, way))
				return True;
		}
	}
	return False;
}

/*
 * The running thread makes a decision that a torn unit has made before, by the same read of the same word,
 * and goes the other way, since it sees what the unit has written. Had it come between, it
 * would have seen what the unit saw, and gone on to write as well.
 */
void cr_unit_went(cr_label label, Addr pc, UInt way)
{
	static const struct cr_claims none;
	const struct cr_source *s = may_repeat_any(label, pc, way) ? newest_of(label) : NULL;

	if (!s || !is_all_of(label, s))
		return;
	for (struct cr_torn *t = *bucket_of(s->word); t; t = t->same_hash) {
		if (!may_repeat(t, s, pc, way) || cr_gap_before(&t->write, s->word, &none))
			continue;
		t->same_code = True;
		t->between = (struct cr_record){ .segment = s->segment,
						 .ctx = s->ctx,
						 .mask = 0xf,
						 .kind = CR_READ,
						 .at = s->at,
						 .epoch = s->epoch };
	}
}

/* The same through memory that nobody else has used so far. */
static void check_origin(cr_label label, const struct cr_source *s, Addr word, UInt history,
			 UChar mask, const struct cr_record *write)
{
	for (UInt i = 0; i < cr_label_count(s->origin) && !has_current(label, word); i++) {
		const struct cr_source *from = cr_label_get(s->origin, i);

		if (!(from->flags & CR_SRC_CONSUMED))
			check_stale(from, s->word, word, history, mask, write);
	}
}

Bool cr_torn_own(const struct cr_torn *t)
{
	const struct cr_chunk *c = cr_chunk_find(t->via);
	UInt n = c && t->via ? c->history[cr_granule(t->via)] : 0;
	Bool own = n != 0; /* of memory that has a new life nothing is known */

	for (; n; n = cr_record(n)->next)
		own &= cr_segment(cr_record(n)->segment)->number ==
		       cr_segment(t->write.segment)->number;
	return !t->lent && (own || !t->via);
}

void cr_unit_freed(Addr a, SizeT size)
{
	for (struct cr_torn *t = nvias ? cr_torns : NULL; t; t = t->next) {
		if (t->via - a >= size)
			continue;
		t->lent = !cr_torn_own(t);
		t->via = 0;
		nvias--;
	}
}

/* What one thread made of its data, and another of what it was given, are two operations. */
static Bool is_handed_on(const struct cr_source *s)
{
	return cr_segment(s->segment)->number != cr_me->number ||
	       cr_segment(s->link_segment)->number != cr_me->number;
}

/* Other locks, and not only those of another object that the same code works on? */
static Bool is_unlike(const struct cr_source *s, Addr word)
{
	UInt then = cr_segment(s->link_segment)->lockset;

	return !cr_locksets_exclude(then, cr_me->lockset) &&
	       !cr_locksets_alike(then, s->link, cr_me->lockset, word);
}

/* Is it data, and does not only decide whether there is a write? In libc's functions on strings it is both. */
static Bool is_data(const struct cr_source *s, const struct cr_record *write)
{
	return !cr_label_has(cr_control, s) || cr_is_libc(cr_at_pc(write->at) - 1);
}

/* @t replaces two words. Another thread that does that, too, may come between: which of the two was last then differs. */
static void meet(struct cr_torn *t, UInt history)
{
	for (UInt n = history; n; n = cr_record(n)->next) {
		const struct cr_record *r = cr_record(n);
		UInt number = cr_segment(r->segment)->number;

		if (writes_word(r, t->word) && number != cr_me->number &&
		    has_written(number, t->other) && !cr_gap_before(r, t->word, &t->claims))
			t->alone = False;
	}
}

/* The same code, run by another thread, puts something else behind it, as in a text that is appended to. */
static void meet_in_object(struct cr_torn *t)
{
	for (struct cr_torn *o = cr_torns; o; o = o->next) {
		if (o->kind != CR_TORN_LOCKS || !o->alone || o->write.at != t->write.at ||
		    o->read.at != t->read.at ||
		    cr_segment(o->write.segment)->number == cr_me->number ||
		    !cr_is_one_object(o->word, t->word) || !cr_is_one_object(o->other, t->other) ||
		    cr_gap_before(&o->write, o->word, &o->claims))
			continue;
		t->alone = o->alone = False;
	}
}

/* @word is written after what @s is linked with, both of the same data. */
static void found_locks(const struct cr_source *s, Addr word, UInt history, Bool replaces,
			const struct cr_record *write)
{
	struct cr_record before = { .segment = s->link_segment,
				    .ctx = s->link_ctx,
				    .mask = 0xf,
				    .kind = CR_WRITE,
				    .at = s->link_at };
	struct cr_torn *t = torn_new(CR_TORN_LOCKS, word, &before, write);

	if (!t)
		return;
	if (!t->other) {
		t->other = s->link;
		t->alone = replaces;
		cr_result_place(t->other);
		cr_unit_same(word, t->other);
	}
	t->alone &= replaces;
	if (t->alone)
		meet(t, history);
	if (t->alone)
		meet_in_object(t);
}

/* Were the two made into one word, or copied side by side? */
static Bool is_one_link(const struct cr_source *a, const struct cr_source *b)
{
	return a->link == b->link || a->link - a->word == b->link - b->word;
}

/*
 * Two variables get their values from data that is the thread's own, at least two words of
 * it (a string, a record: one number alone, such as a loop's counter, is used for
 * everything), under locks that have nothing in common. One adds to what it was; or both are replaced, one right after the
 * other, and another thread does that, too. What only
 * decides whether there is a write, such as how long a loop of several steps goes on, does not count.
 */
static void check_locks(cr_label label, cr_label before, Addr word, UInt history, Bool adds,
			const struct cr_record *write)
{
	const struct cr_source *first = NULL;

	for (UInt i = 0; i < cr_label_count(label); i++) {
		struct cr_source *s = cr_label_get(label, i);
		Bool grows = adds || s->flags & CR_SRC_ADDS;

		/* What is in the word already has not been brought by this write. */
		if (!(s->flags & CR_SRC_OWN) || !is_data(s, write) || cr_label_has(before, s))
			continue;
		if (!s->link || s->link == word) {
			s->link = word;
			s->link_at = write->at;
			s->link_segment = write->segment;
			s->link_ctx = write->ctx;
			s->flags |= adds ? CR_SRC_ADDS : 0;
			continue;
		}
		if (!(grows || cr_section_now()->follows) || is_handed_on(s) || !is_unlike(s, word))
			continue;
		if (!(s->flags & CR_SRC_WIDE) &&
		    (!first || first->word == s->word || !is_one_link(first, s))) {
			first = s;
			continue;
		}
		found_locks(s, word, history, !grows, write);
		return;
	}
}

/*
 * What was written comes from @s: the two belong together. A source that is the thread's own
 * does not count itself, but what is made of it does.
 */
static void link_words(struct cr_source *s, Addr word)
{
	if (s->flags & CR_SRC_SHARED || cr_is_shared(s->word))
		cr_unit_same(word, s->word);
	else if (s->hub)
		cr_unit_same(word, s->hub);
	else
		s->hub = word;
}

/*
 * Did this thread write a value of the same label not long ago, and has no word lost its set since?
 * Then all that the label's sources stand for is in one set.
 */
static Bool was_linked(cr_label label)
{
	static struct {
		ULong key, lives;
	} linked[256];
	ULong key = (ULong)cr_me->number << 32 | label;
	ULong lives = cr_words_forgotten + cr_label_stats.collections;
	Bool was = linked[label % 256].key == key && linked[label % 256].lives == lives;

	linked[label % 256].key = key;
	linked[label % 256].lives = lives;
	return was;
}

static void link_sources(cr_label label, Addr word)
{
	Bool one_will_do = was_linked(label);

	for (UInt i = 0; i < cr_label_count(label); i++) {
		struct cr_source *s = cr_label_get(label, i);

		if (s->word == word)
			continue;
		link_words(s, word);
		if (one_will_do)
			return;
	}
}

/* ---- what happens ------------------------------------------------------------------------ */

/*
 * What the word was, and was read as in this critical section, is replaced by its reader. Returns whether that has looked,
 * and did not only add to it.
 */
static Bool consume(const struct cr_cell *c, Addr word, cr_label label,
		    const struct cr_record *write)
{
	cr_label old = c->label[word >> 2 & 1];
	Bool looked = False;

	if (!cr_me->lockset)
		return False;
	for (UInt i = 0; !cr_label_idle(old) && i < cr_label_count(old); i++) {
		struct cr_source *s = cr_label_get(old, i);

		if (s->word != word || !is_current(s))
			continue;
		s->flags |= CR_SRC_CONSUMED;
		if (is_made_of(s, write) && !cr_label_has(cr_control, s))
			s->flags |= CR_SRC_GREW;
		cr_gap_replaced(s, label, write);
		looked |= !cr_label_has(label, s) || cr_label_has(cr_control, s);
	}
	/* That a function of libc looks where a text ends, to append to it, is no look at what is there. */
	looked &= !cr_is_libc(cr_at_pc(write->at) - 1) || cr_unit_validated(word);
	/* A constant may be a flag that is set blindly. */
	cr_claim_write(word, looked || cr_label_union(label, cr_control) == cr_control);
	return looked;
}

/* Is @s no part of a value of @label, but decides that it is written? */
static Bool is_only_decided(cr_label label, const struct cr_source *s)
{
	return !cr_label_has(label, s) || cr_label_has(cr_control, s);
}

/*
 * Is it a constant, such as a flag that is set, or made of what was there? What was a pointer to something else is thrown away, even if
 * it is looked at for that.
 */
static Bool is_flag_or_made(cr_label label, Addr word, const struct cr_record *write)
{
	return write->at & CR_AT_CONSTANT || has_current(label, word);
}

/*
 * What @s read decides that @word is replaced, and the thread has looked at what is there now. If all that it does with that is to
 * put it behind an item of a list, which may be done after this write, then that was no look.
 */
static void put_off(const struct cr_source *s, Addr word, const struct cr_record *write)
{
	if (s->word == word && !is_current(s))
		cr_section_now()->late = (struct cr_late){ s, s->epoch, word, *write };
}

void cr_unit_leave(void)
{
	const struct cr_late *l = &cr_section_now()->late;
	const struct cr_chunk *c = l->read ? cr_chunk_find(l->word) : NULL;

	/* Labels may have been collected meanwhile. */
	if (c && l->read->word == l->word && l->read->epoch == l->epoch && is_put_before(l->word))
		check_stale(l->read, 0, l->word, c->history[cr_granule(l->word)], l->write.mask,
			    &l->write);
}

/* @looked: at what it replaces. What only decided before that it does so can be seen there again. */
static void write_word(UInt history, Addr word, UChar mask, cr_label label, cr_label before,
		       Bool looked, Bool shared, const struct cr_record *write)
{
	Bool adds = False;

	if (cr_me->lockset) {
		cr_label outer = cr_is_stack(word) ? 0 : cr_call_outer();
		cr_label all = cr_label_union(label, outer);

		for (UInt i = 0; i < cr_label_count(label); i++)
			adds |= cr_label_get(label, i)->word == word;
		for (UInt i = 0; !cr_label_idle(all) && i < cr_label_count(all); i++) {
			const struct cr_source *s = cr_label_get(all, i);

			if (is_taken(s, label, write) || is_no_loss(label, outer, s, word))
				;
			else if (looked && is_only_decided(label, s) && !is_put_before(word) &&
				 is_flag_or_made(label, word, write) &&
				 (s->word != word || !cr_unit_validated(word) ||
				  validates(s, word)))
				put_off(s, word, write);
			else
				check_stale(s, 0, word, history, mask, write);
			check_origin(all, s, word, history, mask, write);
		}
		if (!cr_label_idle(all))
			cr_gap_write(label, outer, word, write);
		cr_gap_counted(label, word);
	}
	if (!shared)
		return;
	link_sources(label, word);
	if (cr_me->lockset)
		check_locks(label, before, word, history, adds, write);
}

/* May there be a torn unit on a word of the granule? */
static Bool has_torn(Addr g)
{
	return cr_ntorns && (*bucket_of(g) || *bucket_of(g + 4));
}

void cr_unit_write(struct cr_cell *c, UInt history, Addr g, UChar mask, ULong at, cr_label label,
		   const struct cr_sharing *s)
{
	struct cr_record write;
	Bool shared, looked;

	if (cr_threads_count() < 2)
		return;
	if (!cr_label_idle(label))
		cr_gap_joined(label, cr_at_pc(at) - 1);
	shared = label && (s->others || cr_is_shared(g));
	if (!shared && !cr_me->lockset && !has_torn(g))
		return; /* nothing of what follows applies */
	write = (struct cr_record){ .segment = cr_segment_now(),
				    .ctx = cr_call_ctx(),
				    .mask = mask,
				    .kind = CR_WRITE,
				    .at = at,
				    .epoch = cr_me->epoch };
	for (UInt i = 0; i < 2; i++) {
		if (!(mask >> (4 * i) & 0xf) || (i && mask == 0xff)) /* eight bytes are one value */
			continue;
		if (cr_ntorns)
			look_ahead(g + 4 * i, &write);
		looked = consume(c, g + 4 * i, label, &write);
		if (cr_me->lockset)
			cr_update_write(g + 4 * i, label, &write);
		if (mask == 0xff && label && cr_me->lockset)
			check_through(g, history, c->label[0], label, &write);
		if (label || cr_me->lockset)
			write_word(history, g + 4 * i, mask, label, c->label[i], looked, shared,
				   &write);
	}
}

void cr_unit_segments(void (*mark)(UInt segment))
{
	for (const struct cr_torn *t = cr_torns; t; t = t->next) {
		mark(t->read.segment);
		mark(t->write.segment);
		mark(t->between.segment);
	}
}
