#include "cr_update.h"

#include <pub_tool_aspacemgr.h>
#include <pub_tool_vki.h>

#include "cr_access.h"
#include "cr_call.h"
#include "cr_claim.h"
#include "cr_footprint.h"
#include "cr_gap.h"
#include "cr_mark.h"
#include "cr_place.h"
#include "cr_shadow.h"
#include "cr_unit.h"

/* ---- what the thread does ----------------------------------------------------------------- */

static struct cr_section *section_before(void)
{
	return &cr_me->section[(cr_me->nsections & 1) ^ 1];
}

/*
 * Is there a function that runs both sections, the first before the second? Since the first one ended it has made
 * the call that leads to the lock, and no other. A loop that comes round is
 * no such thing: what its rounds do are several operations.
 */
static Bool is_next(struct cr_section *now, const struct cr_section *last)
{
	UInt n = cr_me->nframes, open = 0, then;

	while (n && cr_me->frames[n - 1].serial > last->left) {
		n--;
		open++;
	}
	if (!n || !open || cr_me->frames[n - 1].made - cr_me->frames[n - 1].made_left != 1 ||
	    cr_me->frames[n - 1].serial > last->entered)
		return False;
	then = last->depth - 1 - n; /* the call of the same function that led to the first one */
	if (then >= CR_LOCK_CALLS)
		return False;
	now->before = last->returns[then];
	now->at = cr_me->frames[n].pc;
	return now->before < now->at;
}

/* Decisions that are open where the lock is taken or given back. */
static UInt open_decisions(void)
{
	return cr_me->nframes ? cr_me->frames[cr_me->nframes - 1].branches : 0;
}

static struct cr_open open_now(void)
{
	UInt n = open_decisions();

	return (struct cr_open){ n, n ? cr_me->branches[n - 1].pc : 0 };
}

/* Are the first @n decisions those that were open then? */
static Bool is_open(const struct cr_open *then, UInt n)
{
	return then->n == n && (!n || then->last == cr_me->branches[n - 1].pc);
}

/*
 * The last of @n open decisions was made since @last began, and no other since it ended: by which of its writes was that? By what
 * they replaced.
 */
static UInt decided_by(const struct cr_section *last, UInt n)
{
	cr_label label = n ? cr_me->branches[n - 1].label : 0;
	UInt writes = 0;

	if (!n || cr_options.paper || is_open(&last->open_before, n) ||
	    !(is_open(&last->open_after, n) || is_open(&last->open_after, n - 1)))
		return 0;
	for (UInt i = 0; i < cr_label_count(label); i++) {
		const struct cr_source *s = cr_label_get(label, i);

		for (UInt k = 0; k < last->n && s->since == last->since; k++)
			writes |= (last->written[k].word == s->word) << k;
	}
	return writes;
}

void cr_update_enter(void)
{
	struct cr_section *last = cr_section_now(), *now;
	UInt n = open_decisions();

	if (cr_threads_count() < 2)
		return;
	cr_me->nsections++;
	now = cr_section_now();
	*now = (struct cr_section){ .since = cr_me->epoch,
				    .ctx = cr_call_ctx(),
				    .entered = cr_me->calls,
				    .depth = cr_me->nframes,
				    .open_before = open_now() };
	for (UInt i = 0; i < CR_LOCK_CALLS && i < now->depth; i++)
		now->returns[i] = cr_me->frames[now->depth - 1 - i].pc;
	cr_claims_now(&now->claims);
	if (!last->since || !is_next(now, last))
		return;
	now->follows = is_open(&last->open_before, n) || is_open(&last->open_after, n);
	now->decided_by = decided_by(last, n);
}

/* Not of an earlier section of this thread? A word that nobody has written since may still have the label of another's read. */
static Bool is_present(const struct cr_source *s, const struct cr_section *now)
{
	return s->since == now->since || cr_segment(s->segment)->number != cr_me->number;
}

static void note_data(struct cr_section *now, struct cr_written *w, cr_label label)
{
	for (UInt i = 0; i < cr_label_count(label); i++) {
		const struct cr_source *s = cr_label_get(label, i);

		for (UInt k = 0; &now->written[k] < w; k++)
			w->made_of |= (now->written[k].word == s->word) << k;

		/* What it was only decides that, or was copied from an earlier time: this adds nothing to what it is. */
		if (s->word == w->word)
			w->adds |= is_present(s, now) && cr_label_has(cr_written_data, s);
		else if (w->ndata < CR_SECTION_DATA && !cr_label_has(cr_control, s))
			w->data[w->ndata++] = (struct cr_datum){ s->word, s->epoch };
	}
}

static Bool is_constant(const struct cr_written *w)
{
	return !w->ndata && !w->adds;
}

void cr_update_write(Addr word, cr_label label, const struct cr_record *write)
{
	struct cr_section *now = cr_section_now();
	struct cr_written *w;

	if (!now->since || now->full || cr_is_stack(word))
		return;
	for (UInt i = 0; i < now->n; i++) {
		if (now->written[i].word == word)
			return;
	}
	if (now->n == CR_SECTION_WRITES) {
		now->full = True;
		return;
	}
	w = &now->written[now->n++];
	*w = (struct cr_written){ .word = word, .write = *write };
	note_data(now, w, label);
	w->was = cr_value_at(word);
	w->object = write->mask == 0xff && w->was ? *(const Addr *)word : 0;
}

static Bool has_entry(const struct cr_section *in, Addr index)
{
	for (UInt i = 0; i < in->nentries; i++) {
		if (in->entries[i].index == index)
			return True;
	}
	return False;
}

/* Read by this thread in an earlier section, and not replaced there? */
static Bool is_stale(const struct cr_source *s)
{
	const struct cr_segment *seg = cr_segment(s->segment);

	return seg->number == cr_me->number && seg->lockset && !(s->flags & CR_SRC_CONSUMED) &&
	       !cr_held_since(seg->lockset, s->epoch);
}

void cr_update_entry(Addr entry, cr_label index)
{
	struct cr_section *now = cr_section_now();

	for (UInt i = 0; now->since && !cr_label_idle(index) && i < cr_label_count(index); i++) {
		const struct cr_source *s = cr_label_get(index, i);
		Bool before = s->since != now->since;

		if (now->nentries < CR_SECTION_ENTRIES && (!before || is_stale(s)) &&
		    !(s->flags & (CR_SRC_OWN | CR_SRC_WIDE)) && !cr_is_stack(entry) &&
		    !cr_is_stack(s->word) && !has_entry(now, s->word))
			now->entries[now->nentries++] =
				(struct cr_entry){ s->word, entry, cr_source_read(s), before };
	}
}

static Bool is_written(const struct cr_section *in, Addr word)
{
	for (UInt i = 0; i < in->n; i++) {
		if (in->written[i].word == word)
			return True;
	}
	return False;
}

/* Does the running thread come back to it in this section? Of the present epoch the tag tells best. */
static Bool is_accessed(Addr word, ULong since)
{
	const struct cr_chunk *c = cr_chunk_find(word);
	ULong tag = c ? c->cell[cr_granule(word)].tag : 0;
	UInt bytes = 0xf << (word & 4);

	if (tag >> CR_TAG_NUMBER_SHIFT == cr_me->epoch && (tag | tag >> 8) & bytes)
		return True;
	for (UInt n = c ? c->history[cr_granule(word)] : 0; n; n = cr_record(n)->next) {
		const struct cr_record *r = cr_record(n);

		if (r->mask & bytes && r->epoch >= since && r->epoch < cr_me->epoch &&
		    cr_segment(r->segment)->number == cr_me->number)
			return True;
	}
	return False;
}

static Bool has_common_data(const struct cr_written *a, const struct cr_written *b)
{
	for (UInt i = 0; i < a->ndata; i++) {
		for (UInt k = 0; k < b->ndata; k++) {
			if (a->data[i].word == b->data[k].word &&
			    a->data[i].epoch == b->data[k].epoch)
				return True;
		}
	}
	return False;
}

/* A flag that is raised last says that what was written before is there. */
static Bool is_raised(const struct cr_written *first, const struct cr_written *last)
{
	UInt now = is_constant(last) && !last->was ? last->is : 0;

	/* Nor is an amount that was added to something before. */
	if (now > 1 && first->adds && first->is - first->was == now)
		return False;

	/* Unless that is the one that was raised before. */
	if (now > 1 && is_constant(first) && !first->was && first->is == 1)
		return False;
	return now != 0;
}

/*
 * Is as much added to the one as is taken from the other, or, if that is more than one, the same to both? One more of
 * each is a count of what happened, as counts are.
 */
static Bool is_moved(const struct cr_written *first, const struct cr_written *last)
{
	Int a = (Int)(first->is - first->was);
	Int b = (Int)(last->is - last->was);

	return first->adds && last->adds && a && (a == -b || (a == b && (a > 1 || a < -1)));
}

static Bool has_line(const struct cr_section *in, const struct cr_written *of)
{
	for (UInt i = 0; i < in->n; i++) {
		if (cr_is_same_line(cr_at_pc(in->written[i].write.at) - 1,
				    cr_at_pc(of->write.at) - 1))
			return True;
	}
	return False;
}

/*
 * Are the two sections the same code, and not all of it is written in one line for two variables? The compiler may have made
 * several rounds of a loop one after the other: each is an operation of its own.
 */
static Bool is_round(const struct cr_section *now, const struct cr_section *last,
		     const struct cr_written *first, const struct cr_written *then)
{
	return cr_is_same_line(now->before - 1, now->at - 1) &&
	       (has_line(now, first) || has_line(last, then)) &&
	       !cr_are_variables(first->word, then->word);
}

/* Is it added to, and no pointer that what was there has led to? */
static Bool is_count(const struct cr_written *w)
{
	return w->adds &&
	       !(w->write.mask == 0xff && VG_(am_is_valid_for_client)(w->word, 8, VKI_PROT_READ) &&
		 VG_(am_is_valid_for_client)(*(const Addr *)w->word, 1, VKI_PROT_READ));
}

static Bool is_one_update(const struct cr_written *first, const struct cr_written *last)
{
	if (is_raised(first, last))
		return False;
	return has_common_data(first, last) || is_moved(first, last) ||
	       !(is_count(first) && is_count(last));
}

/* What is decided by a count that went up or down by one may be done later, as when the last reference is gone. */
static Bool is_carried(const struct cr_written *first, const struct cr_written *last)
{
	Int by = (Int)(first->is - first->was);

	return !is_raised(first, last) && !(first->adds && by >= -1 && by <= 1);
}

static void found(const struct cr_written *first, const struct cr_written *last, Bool carried);
static void replaced(Addr a, Addr b);

/* Is another pointer put in its place, without a look at what is there, as when something is put at the end of a list? */
static Bool is_moved_on(const struct cr_written *w)
{
	return w->write.mask == 0xff && w->object && !(w->write.at & CR_AT_CONSTANT) &&
	       !cr_footprint_reads(w->word);
}

/* An entry was written in the last section; is its index advanced in this one? */
static void find_advanced(const struct cr_section *now, const struct cr_section *last)
{
	for (UInt i = 0; i < last->nentries; i++) {
		const struct cr_entry *e = &last->entries[i];

		for (UInt k = 0; k < now->n && !e->before; k++) {
			const struct cr_written *w = &now->written[k];

			if (w->word == e->index && (w->adds || is_moved_on(w)) &&
			    !is_written(last, e->index) &&
			    !cr_is_same_line(now->before - 1, now->at - 1))
				cr_unit_advanced(e->index, e->entry, &e->read, &w->write);
		}
	}
}

/* An entry was written where an index was in an earlier section; is that advanced in this one, without a look? */
static void find_advanced_late(const struct cr_section *now)
{
	for (UInt i = 0; i < now->nentries; i++) {
		const struct cr_entry *e = &now->entries[i];

		for (UInt k = 0; k < now->n && e->before; k++) {
			const struct cr_written *w = &now->written[k];

			if (w->word == e->index && w->adds && !cr_update_has_decided(e->index))
				cr_unit_advanced(e->index, e->entry, &e->read, &w->write);
		}
	}
}

static Bool has_datum(const struct cr_written *of, Addr word)
{
	for (UInt i = 0; i < of->ndata; i++) {
		if (of->data[i].word == word)
			return True;
	}
	return False;
}

/*
 * Do the two make one state, which the section replaces? One is made of the other; or not both only add to what was there, as
 * counts do; or what is taken from the one is given to the other. That both are cleared says nothing.
 */
static Bool is_state(const struct cr_section *now, UInt i, UInt k)
{
	const struct cr_written *a = &now->written[i], *b = &now->written[k];
	Int by = (Int)(a->is - a->was);

	if (is_constant(a) && is_constant(b) && !a->is && !b->is)
		return False;
	return b->made_of >> i & 1 || has_datum(a, b->word) || !(a->adds && b->adds) ||
	       (is_moved(a, b) && (by > 1 || by < -1) && by != (Int)(b->is - b->was));
}

/* Of eight bytes that are written as one, each half may be a variable. */
static UInt halves_of(const struct cr_written *w)
{
	return w->write.mask == 0xff ? 2 : 1;
}

static void replaced_both(const struct cr_written *a, const struct cr_written *b)
{
	for (UInt i = 0; i < halves_of(a); i++) {
		for (UInt k = 0; k < halves_of(b); k++)
			replaced(a->word + 4 * i, b->word + 4 * k);
	}
}

static void note_states(const struct cr_section *now)
{
	for (UInt i = 0; i < now->n; i++) {
		const struct cr_written *w = &now->written[i];

		if (halves_of(w) == 2 && !is_constant(w) && !w->adds)
			replaced(w->word, w->word + 4);
		for (UInt k = i + 1; k < now->n; k++) {
			if (is_state(now, i, k))
				replaced_both(w, &now->written[k]);
		}
	}
}

static Bool has_decided(const struct cr_section *in, Addr word)
{
	for (UInt i = 0; i < in->ndecided; i++) {
		if (in->decided[i] == word)
			return True;
	}
	return False;
}

/* What it decided by and replaced, such as a number of things to do, it has taken something from. */
static void note_taken(const struct cr_section *now)
{
	for (UInt i = 0; i < now->n; i++) {
		if (has_decided(now, now->written[i].word))
			cr_me->taken[cr_me->ntaken++ % CR_TAKEN] =
				(struct cr_taken){ now->written[i].word, now->since };
	}
}

/* The last section's write @i: which writes of this one are the other part of an update? */
static void find_updates(const struct cr_section *now, const struct cr_section *last, UInt i)
{
	const struct cr_written *first = &last->written[i];
	Bool decides = now->decided_by >> i & 1;

	if (is_written(now, first->word) || is_accessed(first->word, now->since))
		return;
	for (UInt k = 0; k < now->n; k++) {
		const struct cr_written *then = &now->written[k];

		/* What was taken out of a list is the thread's own. */
		if (!is_written(last, then->word) && !is_round(now, last, first, then) &&
		    !cr_in_object(then->word, first->object) &&
		    ((now->follows && is_one_update(first, then)) ||
		     (decides && is_carried(first, then))))
			found(first, then, decides);
	}
}

static void note_kept(cr_label label)
{
	if (!cr_label_idle(label) && cr_label_count(label) > 1)
		cr_gap_kept(label);
}

void cr_update_leave(void)
{
	struct cr_section *now = cr_section_now();
	const struct cr_section *last = section_before();

	if (cr_me->nframes && !cr_options.paper)
		cr_registers_kept(cr_me->tid, cr_me->frames[cr_me->nframes - 1].sp, note_kept);
	for (UInt i = 0; i < now->n; i++)
		now->written[i].is = cr_value_at(now->written[i].word);
	note_states(now);
	note_taken(now);
	find_advanced_late(now);
	if (now->follows && !now->full && !last->full)
		find_advanced(now, last);
	if ((now->follows || now->decided_by) && !now->full && !last->full) {
		for (UInt i = 0; i < last->n; i++)
			find_updates(now, last, i);
	}
	now->left = cr_me->calls;
	now->open_after = open_now();
	for (UInt i = 0; i < cr_me->nframes && i <= CR_LOCK_CALLS; i++) {
		struct cr_frame *f = &cr_me->frames[cr_me->nframes - 1 - i];

		f->made_left = f->made;
	}
}

Bool cr_update_has_decided(Addr word)
{
	return has_decided(cr_section_now(), word);
}

const struct cr_written *cr_update_given(const struct cr_source *s)
{
	const struct cr_section *last = section_before();

	for (UInt i = 0; i < last->n && last->since == s->since; i++) {
		const struct cr_written *w = &last->written[i];

		if (w->word == s->word)
			return w->write.at & CR_AT_CONSTANT && w->is != s->value ? w : NULL;
	}
	return NULL;
}

void cr_update_segments(void (*mark)(UInt segment))
{
	UInt cursor = 0;
	const struct cr_thread *t;

	while ((t = cr_thread_next(&cursor))) {
		for (UInt s = 0; s < 2; s++) {
			for (UInt i = 0; i < t->section[s].n; i++)
				mark(t->section[s].written[i].write.segment);
			mark(t->section[s].late.write.segment);
			for (UInt i = 0; i < t->section[s].nentries; i++)
				mark(t->section[s].entries[i].read.segment);
		}
	}
}

/* ---- what others read together ------------------------------------------------------------- */

#define PAIRS 4096u

/*
 * Two words that were read in one section and used together, or replaced in one. The last ones are kept, by
 * hash.
 */
struct pair {
	Addr low, high;
	ULong lives;
	UInt thread;	  /* that did; 0: several */
	Bool low_decided; /* each time whether the other one is read */
	Bool high_decided;
	Bool used;		/* ... and not only printed */
	UInt low_was, high_was; /* then: what it was, the last time */
};

static struct pair read_pairs[PAIRS], states[PAIRS];

static UInt lives[PAIRS]; /* of granules, by hash: how often one was forgotten */

static UInt *lives_of(Addr word)
{
	return &lives[cr_hash(word >> 3, 3) % PAIRS];
}

UInt cr_life(Addr a)
{
	return *lives_of(a);
}

static struct pair *pair_of(struct pair *table, Addr a, Addr b, Bool make)
{
	Addr low = a < b ? a : b, high = a < b ? b : a;
	struct pair *p = &table[cr_hash(low, high) % PAIRS];
	ULong both = (ULong)*lives_of(low) << 32 | *lives_of(high);
	Bool is = p->low == low && p->high == high && p->lives == both;

	if (is || !make)
		return is ? p : NULL;
	cr_chunk_of(low)->flags[cr_granule(low)] |= CR_HAS_PAIR;
	cr_chunk_of(high)->flags[cr_granule(high)] |= CR_HAS_PAIR;
	*p = (struct pair){ .low = low,
			    .high = high,
			    .lives = both,
			    .thread = cr_me->number,
			    .low_decided = True,
			    .high_decided = True };
	return p;
}

void cr_update_forget(Addr granule)
{
	++*lives_of(granule);
}

void cr_update_decided(cr_label label)
{
	struct cr_section *now = cr_section_now();

	for (UInt i = 0; i < cr_label_count(label) && now->ndecided < CR_SECTION_DECIDED; i++) {
		const struct cr_source *s = cr_label_get(label, i);

		if (s->since == now->since && !has_decided(now, s->word))
			now->decided[now->ndecided++] = s->word;
	}
}

/* Was @s read after a decision by @t? Of too many decisions it may be any. */
static Bool is_after_decision(const struct cr_source *s, const struct cr_source *t)
{
	for (UInt i = 0; i < s->decided; i++) {
		if (cr_section_now()->decided[i] == t->word)
			return True;
	}
	return s->decided == CR_SECTION_DECIDED;
}

void cr_update_joined(const struct cr_source *s, const struct cr_source *t, Bool printed)
{
	Bool s_after = is_after_decision(s, t), t_after = is_after_decision(t, s);
	struct pair *p;

	if (s->since != cr_section_now()->since || (s_after && t_after))
		return;
	p = pair_of(read_pairs, s->word, t->word, True);
	p->used |= !printed;
	if (p->thread != cr_me->number)
		p->thread = 0;
	if (!t_after)
		*(s->word == p->low ? &p->low_decided : &p->high_decided) = False;
	if (!s_after)
		*(t->word == p->low ? &p->low_decided : &p->high_decided) = False;
	*(s->word == p->low ? &p->low_was : &p->high_was) = s->value;
	*(t->word == p->low ? &p->low_was : &p->high_was) = t->value;
	/* Whoever comes between sees the first word as it is now, and the last one as it was. */
	cr_gap_together(s->word, t->word, s_after ? &t->value : NULL, printed);
	cr_gap_together(t->word, s->word, t_after ? &s->value : NULL, printed);
}

/*
 * A reader of before sees, between, the last word as it did then, and the first one as it is now. If that decides whether
 * it looks at the last, then it must have been the same, at another time.
 */
static Bool was_read_together(const struct cr_written *first, const struct cr_written *last,
			      Bool carried)
{
	const struct pair *p = pair_of(read_pairs, first->word, last->word, False);

	if (!p || p->thread == cr_me->number ||
	    (!p->used && (is_count(first) || is_count(last)) && !carried))
		return False;
	if (!(first->word == p->low ? p->low_decided : p->high_decided))
		return True;
	return is_constant(first) &&
	       first->is == (first->word == p->low ? p->low_was : p->high_was);
}

static void replaced(Addr a, Addr b)
{
	struct pair *p = pair_of(states, a, b, True);

	if (p->thread != cr_me->number)
		p->thread = 0;
	cr_gap_state(a, b);
}

Bool cr_update_is_state(Addr a, Addr b)
{
	const struct pair *p = pair_of(states, a, b, False);

	return p && p->thread != cr_me->number;
}

/* @carried: the one decides whether there is the other. */
static void found(const struct cr_written *first, const struct cr_written *last, Bool carried)
{
	/* By other flags than what is written first. */
	const struct cr_claims claims = cr_claims_among(&cr_section_now()->claims, first->word);
	const struct cr_gap_update u = { .first_word = first->word,
					 .last_word = last->word,
					 .first = &first->write,
					 .last = &last->write,
					 .claims = &claims,
					 .together = was_read_together(first, last, carried),
					 .counts = !carried && (is_count(first) || is_count(last)),
					 .flag = is_constant(last),
					 .was = last->was };

	cr_gap_update(&u);
}
