#include "cr_gap.h"

#include "cr_call.h"
#include "cr_claim.h"
#include "cr_flow.h"
#include "cr_footprint.h"
#include "cr_handover.h"
#include "cr_place.h"
#include "cr_result.h"
#include "cr_shadow.h"
#include "cr_unit.h"
#include "cr_update.h"

#define GAPS_MAX      4096u
#define GAPS_OF_PLACE 32u /* pairs of words that one pair of instructions is told for */
#define BUCKETS	      1024u

struct cr_gap *cr_gaps;
static UInt ngaps;
ULong cr_gap_changes;
static struct cr_gap *by_place[BUCKETS], *by_first[BUCKETS], *by_last[BUCKETS];

static UInt bucket_of(Addr word)
{
	return cr_hash(word >> 3, 2) % BUCKETS;
}

/* ---- what may come into the gap --------------------------------------------------------- */

Bool cr_gap_before(const struct cr_record *r, Addr a, const struct cr_claims *claims)
{
	UInt slot = cr_segment(r->segment)->slot;

	return cr_segment_before(r->segment) || cr_handed_block(a, r->epoch) ||
	       cr_past_has(&cr_me->past, slot, r->epoch, CR_PAST_WAITED) ||
	       (claims->n && cr_past_has(&cr_me->past, slot, r->epoch, CR_PAST_SURE) &&
		cr_claim_over(claims));
}

static Bool conflicts(const struct cr_record *a, const struct cr_record *b)
{
	return a->mask & b->mask && (a->kind | b->kind) & CR_WRITE &&
	       !((a->kind | b->kind) & CR_ATOMIC) &&
	       cr_locksets_exclude(cr_segment(a->segment)->lockset,
				   cr_segment(b->segment)->lockset);
}

static UInt history_of(Addr word)
{
	const struct cr_chunk *c = cr_chunk_find(word);

	return c ? c->history[cr_granule(word)] : 0;
}

/* In @history an access of thread @number, in epochs from @from to @to, that conflicts with @with. */
static const struct cr_record *find_conflict(UInt history, UInt number, ULong from, ULong to,
					     const struct cr_record *with)
{
	for (UInt n = history; n; n = cr_record(n)->next) {
		const struct cr_record *r = cr_record(n);

		if (cr_segment(r->segment)->number == number && r->epoch >= from &&
		    r->epoch <= to && conflicts(r, with))
			return r;
	}
	return NULL;
}

/* If it is a finding now. */
static void conclude(const struct cr_gap *g)
{
	if (!cr_gap_torn(g))
		return;
	cr_unit_same(g->first_word, g->last_word);
	cr_result_place(g->first_word);
	cr_result_place(g->last_word);
}

/*
 * False: it is none. Whoever only reads what the round of a loop does, and ends the loop, may do so at any time; but if it
 * replaces both, as who closes a queue and empties it, then the round is too late.
 */
static Bool torn(struct cr_gap *g, const struct cr_record *first, const struct cr_record *last)
{
	if (g->looped && !(first->kind & last->kind & CR_WRITE))
		return False;
	g->between[0] = *first;
	g->between[1] = *last;
	conclude(g);
	return True;
}

/* Is it one that may come between? */
static Bool tears(void *arg, const struct cr_record *first, const struct cr_record *last)
{
	struct cr_gap *g = arg;

	if (!conflicts(first, &g->first) || !conflicts(last, &g->last) ||
	    cr_gap_before(first, g->first_word, &g->claims))
		return False;
	return torn(g, first, last);
}

/*
 * A critical section of before that may come between: one that accessed both last in one epoch; or, when the
 * unit is seen for the first time, any that is remembered. Later ones are looked at as they come.
 */
static void look_back(struct cr_gap *g)
{
	UInt other = history_of(g->last_word);
	const struct cr_guard guard = { g->first_word, g->left };

	if (g->guarded) {
		cr_footprint_guarded(&guard, g->last_word, False, tears, g);
		return;
	}

	for (UInt n = history_of(g->first_word); n; n = cr_record(n)->next) {
		const struct cr_record *r = cr_record(n), *l;
		UInt number = cr_segment(r->segment)->number;

		if (number == cr_me->number || !conflicts(r, &g->first) ||
		    cr_gap_before(r, g->first_word, &g->claims))
			continue;
		l = find_conflict(other, number, r->epoch, r->epoch, &g->last);
		if (l && torn(g, r, l))
			return;
	}
	if (g->times == 1)
		cr_footprint_find(g->first_word, g->last_word, tears, g);
}

/* The running thread's access @now, of one word of @g, is in a critical section with one of the other. */
static void look_ahead(struct cr_gap *g, Bool is_first, const struct cr_record *now)
{
	const struct cr_record *mine = is_first ? &g->first : &g->last;
	const struct cr_record *its = is_first ? &g->last : &g->first;
	Addr there = is_first ? g->last_word : g->first_word;
	const struct cr_record *r;

	if (g->dead || g->between[0].segment ||
	    cr_segment(g->last.segment)->number == cr_me->number || !conflicts(now, mine) ||
	    cr_gap_before(&g->last, g->last_word, &g->claims))
		return;
	if (g->guarded) {
		const struct cr_guard guard = { g->first_word, g->left };

		if (!is_first)
			cr_footprint_guarded(&guard, g->last_word, True, tears, g);
		return;
	}
	r = find_conflict(history_of(there), cr_me->number, cr_held_oldest(), ~0ull, its);
	if (r)
		torn(g, is_first ? now : r, is_first ? r : now);
}

void cr_gap_access(Addr granule, UChar mask, UInt kind, ULong at)
{
	struct cr_record now = { .mask = mask, .kind = (UChar)kind, .at = at };
	UInt b = bucket_of(granule);

	if (!cr_me->lockset)
		return;
	now.segment = cr_segment_now();
	now.ctx = cr_call_ctx();
	now.epoch = cr_me->epoch;
	for (struct cr_gap *g = by_first[b]; g; g = g->same_first) {
		if (g->first_word >> 3 == granule >> 3)
			look_ahead(g, True, &now);
	}
	for (struct cr_gap *g = by_last[b]; g; g = g->same_last) {
		if (g->last_word >> 3 == granule >> 3)
			look_ahead(g, False, &now);
	}
}

void cr_gap_forget(Addr granule)
{
	for (struct cr_gap *g = cr_gaps; g; g = g->next) {
		if (!cr_gap_torn(g) &&
		    (g->first_word >> 3 == granule >> 3 || g->last_word >> 3 == granule >> 3))
			g->dead = True;
	}
}

/* ---- units ------------------------------------------------------------------------------- */

static Bool same_unit(const struct cr_gap *g, const struct cr_record *first,
		      const struct cr_record *last)
{
	return g->first.at == first->at && g->last.at == last->at &&
	       cr_segment(g->last.segment)->number == cr_segment(last->segment)->number;
}

static struct cr_gap *gap_new(Addr first_word, const struct cr_record *first, Addr last_word,
			      const struct cr_record *last, UInt place)
{
	struct cr_gap *g = VG_(calloc)("cr.gap", 1, sizeof(*g));
	UInt f = bucket_of(first_word), l = bucket_of(last_word);

	g->first_word = first_word;
	g->last_word = last_word;
	g->same_place = by_place[place];
	by_place[place] = g;
	g->same_first = by_first[f];
	by_first[f] = g;
	g->same_last = by_last[l];
	by_last[l] = g;
	g->next = cr_gaps;
	cr_gaps = g;
	ngaps++;
	cr_chunk_of(first_word)->flags[cr_granule(first_word)] |= CR_HAS_GAP;
	cr_chunk_of(last_word)->flags[cr_granule(last_word)] |= CR_HAS_GAP;
	return g;
}

static Bool is_between_looks(ULong from, ULong until)
{
	for (UInt i = 0; i < CR_LOOKS; i++) {
		if (cr_me->looks[i].until >= until && cr_me->looks[i].from <= from)
			return True;
	}
	return False;
}

/* Out of what validate() looks at. */
static void leave(struct cr_gap *g)
{
	if (cr_me->gaps == g)
		cr_me->gaps = g->older;
	if (g->newer)
		g->newer->older = g->older;
	if (g->older)
		g->older->newer = g->newer;
	g->newer = g->older = NULL;
}

/* The running thread's unit was seen again: to the front of that. */
static void changed(struct cr_gap *g)
{
	leave(g);
	g->change = ++cr_gap_changes;
	g->changed = cr_me->epoch;
	g->older = cr_me->gaps;
	if (g->older)
		g->older->newer = g;
	cr_me->gaps = g;
}

/* The running thread's unit has these two accesses. NULL if that is of no interest. */
static struct cr_gap *gap_of(Addr first_word, const struct cr_record *first, Addr last_word,
			     const struct cr_record *last)
{
	UInt place = cr_hash(first->at, last->at) % BUCKETS, same = 0;
	struct cr_gap *g;

	if (is_between_looks(first->epoch, last->epoch))
		return NULL;
	for (g = by_place[place]; g; g = g->same_place) {
		if (!same_unit(g, first, last))
			continue;
		if (g->first_word == first_word && g->last_word == last_word)
			break;
		same++;
	}
	if (!g && (same >= GAPS_OF_PLACE || ngaps >= GAPS_MAX))
		return NULL;
	if (!g)
		g = gap_new(first_word, first, last_word, last, place);
	g->times++;
	if (g->dead || g->between[0].segment)
		return g;
	changed(g);
	g->first = *first;
	g->last = *last;
	return g;
}

static struct cr_claims claims_now(void)
{
	struct cr_claims all;

	cr_claims_now(&all);
	return cr_claims_among(&all, 0);
}

static void found_in(Bool looped, Addr first_word, const struct cr_record *first, Addr last_word,
		     const struct cr_record *last)
{
	struct cr_gap *g = gap_of(first_word, first, last_word, last);

	if (!g || g->dead || g->between[0].segment)
		return;
	g->looped = looped && (g->times == 1 || g->looped);
	g->update &= (first->kind & CR_WRITE) != 0;
	g->claims = claims_now();
	look_back(g);
}

static void found(Addr first_word, const struct cr_record *first, Addr last_word,
		  const struct cr_record *last)
{
	found_in(False, first_word, first, last_word, last);
}

/*
 * The thread has read a flag as @s, and given it another value for others to go on, but comes back for @last_word, as in {ok =
 * full; full = 0} if (ok) {m = message}.
 */
static void found_given(const struct cr_source *s, Addr last_word, const struct cr_record *last)
{
	const struct cr_written *w = cr_update_given(s);
	struct cr_gap *g =
		w && w->word != last_word ? gap_of(w->word, &w->write, last_word, last) : NULL;

	if (!g || g->dead || g->between[0].segment)
		return;
	g->update = False;
	g->guarded = True;
	g->left = w->is;
	g->claims.n = 0;
	look_back(g);
}

void cr_gap_update(const struct cr_gap_update *u)
{
	struct cr_gap *g = gap_of(u->first_word, u->first, u->last_word, u->last);

	if (!g || cr_gap_torn(g))
		return;
	g->update = True;
	g->together |= u->together;
	g->claims = *u->claims;
	g->flag = u->flag;
	g->counts = u->counts;
	g->was = u->was;
	if (!g->dead && !g->between[0].segment)
		look_back(g);
	else
		conclude(g);
}

/* The running thread shows that the words of gaps with accesses of @kind belong together; @was: see cr_gap_together(). */
static void tie(Addr first_word, Addr last_word, UInt kind, const UInt *was, Bool printed)
{
	for (struct cr_gap *g = by_first[bucket_of(first_word)]; g; g = g->same_first) {
		if (g->update && !g->together && (g->first.kind & CR_WRITE) == kind &&
		    g->first_word == first_word && g->last_word == last_word &&
		    (!was || (g->flag && g->was == *was)) && !(printed && g->counts) &&
		    cr_segment(g->last.segment)->number != cr_me->number) {
			g->together = True;
			conclude(g);
		}
	}
}

void cr_gap_together(Addr first_word, Addr last_word, const UInt *was, Bool printed)
{
	tie(first_word, last_word, CR_WRITE, was, printed);
}

void cr_gap_state(Addr a, Addr b)
{
	tie(a, b, CR_READ, NULL, False);
	tie(b, a, CR_READ, NULL, False);
}

static UChar mask_of(Addr word, ULong at)
{
	return cr_at_size(at) >= 8 ? 0xff : (UChar)(0xf << (word & 4));
}

struct cr_record cr_source_read(const struct cr_source *s)
{
	return (struct cr_record){ .segment = s->segment,
				   .ctx = s->ctx,
				   .kind = CR_READ,
				   .mask = mask_of(s->word, s->at),
				   .at = s->at,
				   .epoch = s->epoch };
}

/* Of the running thread, under a lock, and no data of its own? */
static Bool is_shared_read(const struct cr_source *s)
{
	const struct cr_segment *seg = cr_segment(s->segment);

	return seg->lockset && seg->number == cr_me->number && !cr_is_stack(s->word) &&
	       !(s->flags & (CR_SRC_WIDE | CR_SRC_OWN));
}

/*
 * Whether a loop goes on is decided by it: that is no part of what its rounds do, unless it was read once for
 * all of them, as the number of things to do.
 */
static Bool is_of_loop(const struct cr_source *s)
{
	for (UInt up = 0, callers = cr_call_callers(); up <= callers; up++) {
		const struct cr_branch *b;
		UInt n = cr_call_decisions(up, &b);

		for (UInt i = 0; i < n; i++) {
			if ((cr_label_has(b[i].label, s) || cr_label_has(b[i].closing, s)) &&
			    !b[i].again && cr_flow_leaves(b[i].pc))
				return True;
		}
	}
	return False;
}

/* Does a value of @label, which is written to @word, only add a constant to what was there? */
static Bool counts(cr_label label, Addr word)
{
	Bool adds = False;

	for (UInt i = 0; i < cr_label_count(label); i++) {
		const struct cr_source *s = cr_label_get(label, i);

		if (s->word == word)
			adds = True;
		else if (!cr_label_has(cr_control, s))
			return False;
	}
	return adds;
}

/*
 * Did the thread add to the same count where it read @s? Then it has a reference to what it found there, and gives it
 * back now: whoever comes between counts, too, and the order of that does not matter.
 */
static Bool is_pinned(const struct cr_source *s, Addr word)
{
	for (UInt i = 0; i < CR_PINS; i++) {
		if (cr_me->pins[i].word == word && cr_me->pins[i].since == s->since)
			return True;
	}
	return False;
}

void cr_gap_counted(cr_label label, Addr word)
{
	if (counts(label, word))
		cr_me->pins[cr_me->npins++ % CR_PINS] = (struct cr_pin){ word, cr_held_oldest() };
}

/* Is a value of @label made of it, and not only decided by it? */
static Bool is_datum(cr_label label, const struct cr_source *s)
{
	return cr_label_has(label, s) && !cr_label_has(cr_control, s);
}

/* Was another word than @word read in an earlier critical section? */
static Bool has_earlier(cr_label label, Addr word)
{
	for (UInt i = 0; i < cr_label_count(label); i++) {
		const struct cr_source *s = cr_label_get(label, i);

		if (s->word != word && is_shared_read(s) &&
		    !cr_held_since(cr_segment(s->segment)->lockset, s->epoch))
			return True;
	}
	return False;
}

/*
 * Does the write depend on a look at what @s read, in this critical section? Or has it decided by such a look: what is done if nothing
 * was found is not inside that decision.
 */
static Bool is_seen_anew(const struct cr_source *s)
{
	return cr_unit_validated(s->word) || cr_update_has_decided(s->word);
}

/* Was what @s read not read once more for @label, nor, in a later round, something else by the same line? */
static Bool is_last_look(cr_label label, const struct cr_source *s)
{
	for (UInt i = 0; i < cr_label_count(label); i++) {
		const struct cr_source *t = cr_label_get(label, i);

		if (t->epoch > s->epoch &&
		    (t->word == s->word ||
		     cr_is_same_line(cr_at_pc(t->at) - 1, cr_at_pc(s->at) - 1)))
			return False;
	}
	return True;
}

/*
 * A value of @label is put at @word. It was read as @s, where the thread has put meanwhile what it had read at @word: the two change
 * places. @read: that read.
 */
static Bool is_exchanged(const struct cr_source *s, cr_label label, Addr word,
			 struct cr_record *read)
{
	const struct cr_chunk *c = is_datum(label, s) ? cr_chunk_find(s->word) : NULL;
	cr_label there = c ? c->cell[cr_granule(s->word)].label[s->word >> 2 & 1] : 0;

	for (UInt i = 0; i < cr_label_count(there) && !cr_label_has(there, s); i++) {
		const struct cr_source *t = cr_label_get(there, i);

		if (t->word != word || !is_shared_read(t) || t->flags & CR_SRC_CONSUMED ||
		    cr_held_since(cr_segment(t->segment)->lockset, t->epoch))
			continue;
		*read = cr_source_read(t);
		return True;
	}
	return False;
}

/* What one word was goes into another, in a later critical section. */
void cr_gap_write(cr_label label, cr_label outer, Addr word, const struct cr_record *write)
{
	cr_label all = cr_label_union(label, outer);
	Bool count = counts(label, word);

	if (cr_is_stack(word) || !has_earlier(all, word) || cr_unit_checked())
		return;
	for (UInt i = 0; i < cr_label_count(all); i++) {
		const struct cr_source *s = cr_label_get(all, i);
		struct cr_record read = cr_source_read(s), other;

		if (s->word == word || !is_shared_read(s) || is_seen_anew(s) ||
		    (count && (is_pinned(s, word) || cr_unit_for_round(s, word))) ||
		    cr_held_since(cr_segment(s->segment)->lockset, s->epoch))
			continue;
		if (!(s->flags & CR_SRC_CONSUMED)) {
			Bool looped = is_of_loop(s);

			if (!looped || is_last_look(all, s))
				found_in(looped, s->word, &read, word, write);
			if (is_exchanged(s, label, word, &other))
				cr_unit_swapped(word, &other, write);
		} else if (s->link == word && is_datum(label, s)) { /* half a swap was done then */
			read = (struct cr_record){ .segment = s->link_segment,
						   .ctx = s->link_ctx,
						   .kind = CR_WRITE,
						   .at = s->link_at,
						   .mask = mask_of(s->word, s->link_at),
						   .epoch = s->epoch };
			found(s->word, &read, word, write);
			read.kind = CR_READ; /* the value of @word, by the same line */
			cr_unit_swapped(word, &read, write);
		} else {
			found_given(s, word, write);
		}
	}
}

void cr_gap_replaced(struct cr_source *s, cr_label label, const struct cr_record *write)
{
	for (UInt i = 0; i < cr_label_count(label) && !(s->flags & CR_SRC_OWN); i++) {
		const struct cr_source *t = cr_label_get(label, i);

		if (t->word == s->word || t->since != s->since || !is_shared_read(t) ||
		    cr_label_has(cr_control, t))
			continue;
		s->link = t->word;
		s->link_at = write->at;
		s->link_segment = write->segment;
		s->link_ctx = write->ctx;
		return;
	}
}

/* @label, for the running thread. */
static ULong key_of(cr_label label)
{
	return (ULong)cr_me->number << 32 | label;
}

/* Labels come again and again. Was this one looked at by the running thread not long ago? */
static ULong seen[256];

static Bool was_seen(cr_label label)
{
	static ULong collections;
	ULong key = key_of(label), *at = &seen[label % 256];

	if (collections != cr_label_stats.collections) { /* numbers of labels have a new life */
		VG_(memset)(seen, 0, sizeof(seen));
		collections = cr_label_stats.collections;
	}
	if (*at == key)
		return True;
	*at = key;
	return False;
}

/* The same of two labels. */
struct both {
	ULong key, collections;
	cr_label with;
};

static Bool were_seen(struct both table[256], cr_label a, cr_label b)
{
	struct both now = { key_of(a), cr_label_stats.collections, b };
	struct both *at = &table[(a * 31 + b) % 256];
	Bool were = at->key == now.key && at->with == b && at->collections == now.collections;

	*at = now;
	return were;
}

/* Of two words, the second read under no lock that was held at the first one already? */
static Bool is_apart(const struct cr_source *s, const struct cr_source *t)
{
	return s->word != t->word && s->epoch < t->since;
}

/*
 * Is the read @t part of another operation, later than @s: in a section that has read both, or in a later round of a loop? What is
 * summed up over rounds is made of what each of them reads at one place, in different entries of a table; the rest of one round is
 * not the rest of another.
 */
static Bool is_other_round(const struct cr_source *s, const struct cr_source *t)
{
	Addr a = cr_at_pc(s->at) - 1, b = cr_at_pc(t->at) - 1;

	if (t->since == cr_section_now()->since && cr_footprint_reads(s->word))
		return True;
	return s->section == t->section && !cr_is_same_line(a, b);
}

/*
 * Was a word that others change read at two times in these labels? Then they are compared, or summed up over rounds, and the rest of
 * what was read was read once more as well.
 */
static Bool has_looked_again(cr_label a, cr_label b)
{
	for (UInt i = 0; i < cr_label_count(a); i++) {
		const struct cr_source *s = cr_label_get(a, i);

		for (UInt k = 0; is_shared_read(s) && k < cr_label_count(b); k++) {
			const struct cr_source *t = cr_label_get(b, k);

			if (t->word == s->word && t->epoch != s->epoch)
				return True;
		}
	}
	return cr_unit_checked();
}

static Bool has_again(cr_label a, cr_label b)
{
	return has_looked_again(a, a) || has_looked_again(a, b) || has_looked_again(b, b);
}

static void join(const struct cr_source *s, const struct cr_source *t)
{
	struct cr_record first = cr_source_read(s), last = cr_source_read(t);

	if (is_apart(s, t) && !is_other_round(s, t) && !cr_unit_validated(s->word) &&
	    !is_of_loop(s) && !is_of_loop(t) && !is_pinned(s, t->word))
		found(s->word, &first, t->word, &last);
}

/* Of what a function of libc copies, how much that is was read before. */
static void join_length(const struct cr_source *const *s, UInt n)
{
	for (UInt i = 0; i < n; i++) {
		for (UInt k = 0; k < n; k++) {
			if (cr_label_has(cr_control, s[i]) && !cr_label_has(cr_control, s[k]))
				join(s[i], s[k]);
		}
	}
}

/* The sources of @label that others may come between. */
static UInt shared_reads(cr_label label, const struct cr_source **s)
{
	UInt n = 0;

	for (UInt i = 0; i < cr_label_count(label); i++) {
		s[n] = cr_label_get(label, i);
		n += is_shared_read(s[n]) && !(s[n]->flags & CR_SRC_CONSUMED);
	}
	return n;
}

static Bool has_apart(const struct cr_source *const *s, UInt n, const struct cr_source *const *t,
		      UInt m)
{
	for (UInt i = 0; i < n; i++) {
		for (UInt k = 0; k < m; k++) {
			if (is_apart(s[i], t[k]) || is_apart(t[k], s[i]))
				return True;
		}
	}
	return False;
}

/* Two words that were read in one critical section. */
static void join_in_section(const struct cr_source *const *s, UInt n)
{
	for (UInt i = 0; i < n; i++) {
		for (UInt k = i + 1; k < n; k++) {
			if (s[i]->since == s[k]->since && s[i]->word != s[k]->word)
				cr_update_joined(s[i], s[k], False);
		}
	}
}

/* What was read after a flag was given another value, and what is made of it depends on what that was. */
static void join_given(cr_label label, const struct cr_source *const *t, UInt n)
{
	for (UInt i = 0; i < cr_label_count(label); i++) {
		const struct cr_source *s = cr_label_get(label, i);

		for (UInt k = 0; s->flags & CR_SRC_CONSUMED && is_shared_read(s) && k < n; k++) {
			struct cr_record last = cr_source_read(t[k]);

			if (is_apart(s, t[k]))
				found_given(s, t[k]->word, &last);
		}
	}
}

void cr_gap_kept(cr_label label)
{
	const struct cr_source *s[CR_SOURCES];

	join_in_section(s, shared_reads(label, s));
}

void cr_gap_joined(cr_label label, Addr pc)
{
	const struct cr_source *s[CR_SOURCES];
	UInt n;

	if (cr_label_count(label) < 2 || was_seen(label))
		return;
	n = shared_reads(label, s);
	if (n < 1)
		return;
	if (pc && !cr_is_program(pc)) {
		seen[label % 256] = 0;
		join_length(s, n);
		return;
	}
	join_in_section(s, n);
	join_given(label, s, n);
	if (!has_apart(s, n, s, n) || has_looked_again(label, label))
		return;
	for (UInt i = 0; i < n; i++) {
		for (UInt k = 0; k < n; k++)
			join(s[i], s[k]);
	}
}

/*
 * Two reads that a function is called with, to print them for instance. What it makes of them is not known: they count if
 * another thread replaces both as one state.
 */
static void pass(const struct cr_source *s, const struct cr_source *t)
{
	struct cr_record first = cr_source_read(s), last = cr_source_read(t);
	struct cr_gap *g;

	if (!is_apart(s, t) || is_other_round(s, t) || is_of_loop(s) || is_of_loop(t) ||
	    cr_unit_validated(s->word))
		return;
	g = gap_of(s->word, &first, t->word, &last);
	if (!g || g->dead || cr_gap_torn(g) || (g->times > 1 && !g->update))
		return;
	g->update = True;
	g->together |= cr_update_is_state(s->word, t->word);
	g->claims = claims_now();
	if (!g->between[0].segment)
		look_back(g);
	else
		conclude(g);
}

void cr_gap_passed(cr_label a, cr_label b)
{
	static struct both passed[256];
	const struct cr_source *s[CR_SOURCES], *t[CR_SOURCES];
	UInt n, m;
	Bool again;

	if (a == b || were_seen(passed, a, b))
		return;
	n = shared_reads(a, s);
	m = shared_reads(b, t);
	again = !has_apart(s, n, t, m) || has_again(a, b);
	for (UInt i = 0; i < n; i++) {
		for (UInt k = 0; k < m; k++) {
			if (s[i]->since == t[k]->since && s[i]->word != t[k]->word)
				cr_update_joined(s[i], t[k], True);
			if (again)
				continue;
			pass(s[i], t[k]);
			pass(t[k], s[i]);
		}
	}
}

void cr_gap_met(cr_label a, cr_label b)
{
	static struct both met[256];
	const struct cr_source *s[CR_SOURCES], *t[CR_SOURCES];
	UInt n, m;
	Bool again;

	if (a == b || were_seen(met, a, b))
		return;
	n = shared_reads(a, s);
	m = shared_reads(b, t);
	again = has_again(a, b);
	for (UInt i = 0; i < n; i++) {
		for (UInt k = 0; k < m; k++) {
			if (s[i]->since == t[k]->since && s[i]->word != t[k]->word) {
				cr_update_joined(s[i], t[k], False);
			} else if (!again) {
				join(s[i], t[k]);
				join(t[k], s[i]);
			}
		}
	}
}

/* Two parts of one condition: reads of one critical section are used together, those of two like arguments of one function. */
void cr_gap_nested(cr_label outer, cr_label inner)
{
	static struct both nested[256];
	const struct cr_source *s[CR_SOURCES], *t[CR_SOURCES];
	UInt n, m;
	Bool again;

	if (outer == inner || were_seen(nested, outer, inner))
		return;
	n = shared_reads(outer, s);
	m = shared_reads(inner, t);
	again = !has_apart(s, n, t, m) || has_again(outer, inner);
	for (UInt i = 0; i < n; i++) {
		for (UInt k = 0; k < m; k++) {
			if (s[i]->since == t[k]->since && s[i]->word != t[k]->word)
				cr_update_joined(s[i], t[k], False);
			else if (!again)
				pass(s[i], t[k]);
		}
	}
}

/* Pairs of looks at one word that a label has. They come again and again, mostly with no new unit to validate. */
#define PAIRS_OF_LABEL (CR_SOURCES * (CR_SOURCES - 1) / 2)

struct compared {
	ULong key;
	ULong collections; /* of labels then */
	ULong changes;	   /* of gaps until then were looked at */
	UInt n;
	struct cr_look look[PAIRS_OF_LABEL];
};

/*
 * Did the look @s, at the same place of the code as @t, decide that there is another round of the loop? If that asks only
 * whether something is so, and not whether it is as it was, then @t is the look of the next round.
 */
static Bool is_next_look(const struct cr_source *s, const struct cr_source *t)
{
	const struct cr_branch *b;
	UInt n = cr_call_decisions(0, &b);

	for (UInt i = 0; s->at == t->at && s->ctx == t->ctx && i < n; i++) {
		if (cr_label_has(b[i].label, s) || cr_label_has(b[i].closing, s))
			return True;
	}
	return False;
}

static void find_looks(cr_label label, Bool constant, struct compared *c)
{
	UInt n = cr_label_count(label);

	for (UInt i = 0; i < n * n && c->n < PAIRS_OF_LABEL; i++) {
		const struct cr_source *s = cr_label_get(label, i / n);
		const struct cr_source *t = cr_label_get(label, i % n);

		/* What is in a word of the thread's own is not what others did meanwhile. */
		if (s->word == t->word && s->epoch < t->epoch && !(s->flags & CR_SRC_OWN) &&
		    !cr_is_stack(s->word) && !(constant && is_next_look(s, t)))
			c->look[c->n++] = (struct cr_look){ s->epoch, t->epoch };
	}
}

static Bool is_between(const struct compared *c, const struct cr_gap *g)
{
	for (UInt i = 0; i < c->n; i++) {
		if (g->first.epoch >= c->look[i].from && g->last.epoch <= c->look[i].until)
			return True;
	}
	return False;
}

/* What was done between two looks at one word, which are compared, is done anew if need be. */
static void validate(struct compared *c)
{
	struct cr_gap *g = cr_me->gaps, *older;
	ULong first = ~0ull;

	for (UInt i = 0; i < c->n; i++)
		first = c->look[i].from < first ? c->look[i].from : first;
	/* What changed before the first look is older. */
	for (; g && g->changed >= first && g->change > c->changes; g = older) {
		older = g->older;
		g->dead |= is_between(c, g);
		if (g->dead)
			leave(g);
	}
	c->changes = cr_gap_changes;
}

static void compare_looks(cr_label label, Bool constant)
{
	static struct compared compared[256];
	struct compared *c = &compared[label % 256];
	ULong key = key_of(label) << 1 | constant;

	if (c->key != key || c->collections != cr_label_stats.collections) {
		*c = (struct compared){ .key = key, .collections = cr_label_stats.collections };
		find_looks(label, constant, c);
	}
	if (c->changes != cr_gap_changes)
		validate(c);
	for (UInt i = c->n > CR_LOOKS ? c->n - CR_LOOKS : 0; i < c->n; i++)
		cr_me->looks[cr_me->nlooks++ % CR_LOOKS] = c->look[i];
}

void cr_gap_decided(cr_label label, Addr pc, Bool orders, Bool constant)
{
	if (!orders && cr_label_again(label) && cr_is_program(pc))
		compare_looks(label, constant);
	cr_gap_joined(label, pc);
}

void cr_gap_segments(void (*mark)(UInt segment))
{
	for (const struct cr_gap *g = cr_gaps; g; g = g->next) {
		mark(g->first.segment);
		mark(g->last.segment);
		mark(g->between[0].segment);
		mark(g->between[1].segment);
	}
}
