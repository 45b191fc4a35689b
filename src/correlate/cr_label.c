#include "cr_label.h"

#include "cr_access.h"
#include "cr_call.h"
#include "cr_ir.h"
#include "cr_mark.h"
#include "cr_place.h"
#include "cr_region.h"

#define COLLECT_AT (1u << 17) /* labels, at least, before it is worth it */

struct cr_label_stats cr_label_stats;

/* ---- sources ------------------------------------------------------------------------ */

struct cr_source **cr_source_blocks;
static UChar *worths;				      /* of sources, see worth_of() */
static UInt nsources = 1, sources_room, free_sources; /* free ones: a list through segment */

/* Which of too many sources to keep: those that detection can use, then the oldest. */
static UChar worth_of(const struct cr_source *s)
{
	return (cr_segment(s->segment)->lockset ? 2 : 0) +
	       (s->flags & CR_SRC_SHARED || s->handed ? 1 : 0);
}

static UInt source_new(void)
{
	UInt id = free_sources;

	if (id) {
		free_sources = cr_source(id)->segment;
		return id;
	}
	if (nsources >= sources_room) {
		UInt n = sources_room / CR_SOURCE_BLOCK;

		sources_room += CR_SOURCE_BLOCK;
		cr_source_blocks = VG_(realloc)("cr.sources", cr_source_blocks,
						(n + 1) * sizeof(*cr_source_blocks));
		cr_source_blocks[n] =
			VG_(malloc)("cr.sources", CR_SOURCE_BLOCK * sizeof(**cr_source_blocks));
		worths = VG_(realloc)("cr.sources", worths, sources_room);
	}
	return nsources++;
}

/* ---- ids of sets: runs of one to eight words, those that are free in lists by length ---- */

UInt *cr_label_pool;
static UInt npool = 1, pool_room, free_runs[CR_SOURCES + 1];

static UInt run_new(const UInt *id, UInt n)
{
	UInt at = free_runs[n];

	if (at) {
		free_runs[n] = cr_label_pool[at];
	} else {
		if (npool + n > pool_room) {
			pool_room = pool_room ? pool_room * 2 : 1u << 16;
			cr_label_pool = VG_(realloc)("cr.labels", cr_label_pool,
						     pool_room * sizeof(*cr_label_pool));
		}
		at = npool;
		npool += n;
	}
	for (UInt i = 0; i < n; i++)
		cr_label_pool[at + i] = id[i];
	return at;
}

static void run_free(UInt at, UInt n)
{
	cr_label_pool[at] = free_runs[n];
	free_runs[n] = at;
}

/* ---- sets --------------------------------------------------------------------------- */

UChar *cr_label_marks; /* by number: for the collector */

struct cr_label_set *cr_label_sets;
static UInt nsets = 1, sets_room, free_sets, live;
static UInt collect_at = COLLECT_AT;

/* The label of a set: what it is, in short, and its number. */
static cr_label label_of(UInt number)
{
	const struct cr_label_set *s = &cr_label_sets[number];
	UInt best = 0, worst = 3;

	for (UInt i = 0; i < s->n; i++) {
		UInt worth = worths[cr_label_ids(s)[i]];

		best = worth > best ? worth : best;
		worst = worth < worst ? worth : worst;
	}
	return CR_TAG | (s->n == CR_SOURCES ? worst + 1 : 0) << CR_FULL_SHIFT |
	       best << CR_BEST_SHIFT | number;
}

static cr_label set_new(const UInt *id, UInt n)
{
	UInt s = free_sets;

	if (s) {
		free_sets = cr_label_sets[s].at;
	} else {
		if (nsets > CR_NUMBER)
			return 0; /* that many values are not told apart */
		if (nsets >= sets_room) {
			sets_room = sets_room ? sets_room * 2 : 8192;
			cr_label_sets = VG_(realloc)("cr.labels", cr_label_sets,
						     sets_room * sizeof(*cr_label_sets));
			cr_label_marks = VG_(realloc)("cr.labels", cr_label_marks, sets_room);
		}
		s = nsets++;
	}
	cr_label_sets[s] =
		(struct cr_label_set){ .at = n == 1 ? id[0] : run_new(id, n), .n = (UShort)n };
	if (++live > cr_label_stats.most)
		cr_label_stats.most = live;
	return label_of(s);
}

/*
 * Sets of several that were made not long ago, by hash: most are asked for again soon or never. One
 * that has been displaced may come to be twice, which costs a little memory, no more.
 */
#define TABLE_BITS 16u
static struct {
	UInt hash;
	cr_label label;
} table[1u << TABLE_BITS];

static ULong hash_ids(const UInt *id, UInt n)
{
	ULong h = n;

	for (UInt i = 0; i < n; i++)
		h = (h ^ id[i]) * 0x9e3779b97f4a7c15ull + (h >> 29);
	return h;
}

static Bool has_ids(cr_label l, const UInt *id, UInt n)
{
	const struct cr_label_set *s = &cr_label_sets[cr_label_number(l)];
	UInt k = 0;

	while (s->n == n && k < n && cr_label_pool[s->at + k] == id[k])
		k++;
	return k == n;
}

static cr_label intern(const UInt *id, UInt n)
{
	ULong hash = hash_ids(id, n);
	UInt at = (UInt)(hash >> (64 - TABLE_BITS));

	if (table[at].hash != (UInt)hash || !table[at].label || !has_ids(table[at].label, id, n)) {
		table[at].hash = (UInt)hash;
		table[at].label = set_new(id, n);
	}
	return table[at].label;
}

cr_label cr_label_source(Addr word, ULong at, UInt flags, ULong handed, UInt handed_by)
{
	UInt id = source_new();

	*cr_source(id) = (struct cr_source){ .word = word,
					     .epoch = cr_me->epoch,
					     .since = cr_held_oldest(),
					     .at = at,
					     .segment = cr_segment_now(),
					     .ctx = cr_call_ctx(),
					     .flags = flags,
					     .decided = cr_section_now()->ndecided,
					     .handed = handed,
					     .handed_by = handed_by,
					     .section = cr_section_now()->ctx,
					     .value = cr_me->lockset ? cr_value_at(word) : 0 };
	worths[id] = worth_of(cr_source(id));
	cr_label_stats.sources++;
	return set_new(&id, 1);
}

static void drop(UInt *id, UInt n, UInt at)
{
	for (UInt i = at; i + 1 < n; i++)
		id[i] = id[i + 1];
}

/* Was the word of @s read at two later times in the set? */
static Bool is_outdated(const struct cr_source *s, const UInt *id, UInt n)
{
	UInt later = 0;

	for (UInt i = 0; i < n; i++)
		later += cr_source(id[i])->word == s->word && cr_source(id[i])->epoch > s->epoch;
	return later > 1;
}

/*
 * The rounds of a loop look at the same words again and again: the last two times are enough to compare, and leave room for
 * other words.
 */
static UInt drop_outdated(UInt *id, UInt n)
{
	for (UInt i = n; i > 0; i--) {
		if (is_outdated(cr_source(id[i - 1]), id, n))
			drop(id, n--, i - 1);
	}
	return n;
}

static UInt shorten(UInt *id, UInt n)
{
	if (n >= CR_SOURCES)
		n = drop_outdated(id, n);
	while (n > CR_SOURCES) {
		UInt worst = n - 1;

		for (UInt i = n - 1; i > 0; i--) {
			if (worths[id[i - 1]] < worths[id[worst]])
				worst = i - 1;
		}
		drop(id, n--, worst);
	}
	return n;
}

/* Unions of the same two come again and again. */
struct cached {
	cr_label a, b, sum, unused; /* not across two lines of memory */
};

static struct cached cache[16384], preferred[4096];

/* @full is, and what of @l is worth more than the worst in it is there as well. */
static Bool has_all_that_counts(cr_label full, cr_label l)
{
	const struct cr_label_set *x = &cr_label_sets[cr_label_number(full)],
				  *y = &cr_label_sets[cr_label_number(l)];
	UInt cap = full >> CR_FULL_SHIFT & 7, k = 0;

	if (!cap)
		return False;
	for (UInt i = 0; i < y->n; i++) {
		UInt id = cr_label_ids(y)[i];

		if (worths[id] < cap)
			continue;
		while (k < x->n && cr_label_pool[x->at + k] < id)
			k++;
		if (k == x->n || cr_label_pool[x->at + k] != id)
			return False;
	}
	return True;
}

static cr_label make_union(cr_label a, cr_label b)
{
	const struct cr_label_set *x = &cr_label_sets[cr_label_number(a)],
				  *y = &cr_label_sets[cr_label_number(b)];
	const UInt *p = cr_label_ids(x), *q = cr_label_ids(y);
	UInt id[2 * CR_SOURCES], n = 0, i = 0, k = 0;

	cr_label_stats.unions++;
	if (has_all_that_counts(a, b))
		return a;
	if (has_all_that_counts(b, a))
		return b;
	while (i < x->n && k < y->n) {
		UInt u = p[i], v = q[k];

		id[n++] = u < v ? u : v;
		i += u <= v;
		k += v <= u;
	}
	while (i < x->n)
		id[n++] = p[i++];
	while (k < y->n)
		id[n++] = q[k++];
	if (n == x->n)
		return a;
	if (n == y->n)
		return b;
	if (cr_label_idle(a) && cr_label_idle(b)) /* one is worth as much as the other */
		return intern(id, n < CR_SOURCES ? n : CR_SOURCES);
	return intern(id, shorten(id, n));
}

static __attribute__((noinline)) cr_label unite(cr_label a, cr_label b, UInt slot)
{
	cache[slot].sum = make_union(a, b);
	cache[slot].a = a;
	cache[slot].b = b;
	return cache[slot].sum;
}

cr_label cr_label_unite(cr_label low, cr_label high)
{
	UInt slot = ((low * 0x9e3779b1u) ^ (high * 0x85ebca6bu)) >> 18;

	if (cache[slot].a == low && cache[slot].b == high)
		return cache[slot].sum;
	if (cr_options.paper)
		return cr_region_unite(low, high);
	return unite(low, high, slot);
}

/* All of @first, which is not full, and of @rest as many as there is room for. */
static cr_label make_preferred(cr_label first, cr_label rest)
{
	const struct cr_label_set *x = &cr_label_sets[cr_label_number(first)];
	const struct cr_label_set *y = &cr_label_sets[cr_label_number(rest)];
	UInt id[CR_SOURCES], n = x->n, both = 0;

	VG_(memcpy)(id, cr_label_ids(x), n * sizeof(*id));
	for (UInt i = 0; i < y->n; i++) {
		UInt k = n, new = cr_label_ids(y)[i];

		while (k > 0 && id[k - 1] > new)
			k--;
		if (k > 0 && id[k - 1] == new) {
			both++;
			continue;
		}
		if (n == CR_SOURCES)
			continue;
		for (UInt m = n; m > k; m--)
			id[m] = id[m - 1];
		id[k] = new;
		n++;
	}
	if (both == y->n)
		return first;
	return both == x->n ? rest : intern(id, n);
}

cr_label cr_label_prefer(cr_label first, cr_label rest)
{
	UInt slot = ((first * 0x9e3779b1u) ^ (rest * 0x85ebca6bu)) >> 20;

	if (!first || !rest || first == rest)
		return first ? first : rest;
	if (cr_options.paper)
		return cr_region_unite(first, rest);
	if (first >> CR_FULL_SHIFT & 7)
		return first;
	if (preferred[slot].a != first || preferred[slot].b != rest) {
		preferred[slot].sum = make_preferred(first, rest);
		preferred[slot].a = first;
		preferred[slot].b = rest;
	}
	return preferred[slot].sum;
}

cr_label cr_label_widen(cr_label l, Addr line)
{
	struct cr_source *s =
		cr_label_idle(l) && cr_label_count(l) == 1 ? cr_label_get(l, 0) : NULL;

	if (!s || s->epoch != cr_me->epoch || s->word - line >= 64)
		return 0;
	s->flags |= CR_SRC_WIDE;
	return l;
}

Bool cr_label_find_again(cr_label l)
{
	UInt n = cr_label_count(l);
	Bool again = False;

	for (UInt i = 0; i < n; i++) {
		const struct cr_source *s = cr_label_get(l, i);

		for (UInt k = i + 1; k < n; k++) {
			const struct cr_source *t = cr_label_get(l, k);

			again |= s->word == t->word && s->epoch != t->epoch;
		}
	}
	cr_label_sets[cr_label_number(l)].again = again ? CR_AGAIN_YES : CR_AGAIN_NO;
	return again;
}

Bool cr_label_own(cr_label l)
{
	for (UInt i = 0; !cr_label_idle(l) && i < cr_label_count(l); i++) {
		if (!(cr_label_get(l, i)->flags & CR_SRC_OWN))
			return False;
	}
	return True;
}

Bool cr_label_has(cr_label l, const struct cr_source *s)
{
	for (UInt i = 0; i < cr_label_count(l); i++) {
		if (cr_label_get(l, i) == s)
			return True;
	}
	return False;
}

Bool cr_label_common(cr_label a, cr_label b)
{
	for (UInt i = 0; i < cr_label_count(a); i++) {
		if (cr_label_has(b, cr_label_get(a, i)))
			return True;
	}
	return False;
}

/* ---- collection ---------------------------------------------------------------------- */

static void free_set(UInt s)
{
	if (cr_label_sets[s].n > 1)
		run_free(cr_label_sets[s].at, cr_label_sets[s].n);
	cr_label_sets[s].n = 0;
	cr_label_sets[s].at = free_sets;
	free_sets = s;
	live--;
}

static void sweep(void)
{
	for (UInt s = 1; s < nsets; s++) {
		struct cr_label_set *set = &cr_label_sets[s];

		if (set->n && !cr_label_marks[s])
			free_set(s);
		for (UInt i = 0; i < set->n; i++)
			cr_source(cr_label_ids(set)[i])->flags |= CR_SRC_MARK;
	}
	for (UInt id = 1; id < nsources; id++) {
		struct cr_source *s = cr_source(id);

		if (!(s->flags & CR_SRC_MARK) && s->word) {
			s->word = 0;
			s->segment = free_sources;
			free_sources = id;
		}
		s->flags &= ~CR_SRC_MARK;
	}
	for (UInt i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (table[i].label && !cr_label_marks[cr_label_number(table[i].label)])
			table[i].label = 0;
	}
	VG_(memset)(cache, 0, sizeof(cache));
	VG_(memset)(preferred, 0, sizeof(preferred));
	cr_parts_forget();
	cr_ir_forget();
}

/* A value whose label is carried by nothing else is of no known origin any more. */
static void forget_origins(void)
{
	for (UInt id = 1; id < nsources; id++) {
		cr_label origin = cr_source(id)->origin;

		if (cr_source(id)->word && origin && !cr_label_marks[cr_label_number(origin)])
			cr_source(id)->origin = 0;
	}
}

void cr_label_collect(void)
{
	cr_label_stats.live = live;
	if (live < collect_at)
		return;
	VG_(memset)(cr_label_marks, 0, nsets);
	cr_mark_labels();
	forget_origins();
	sweep();
	cr_label_stats.collections++;
	collect_at = live * 2 < COLLECT_AT ? COLLECT_AT : live * 2;
}

void cr_label_segments(void (*mark)(UInt segment))
{
	for (UInt id = 1; id < nsources; id++) {
		if (cr_source(id)->word) {
			mark(cr_source(id)->segment);
			mark(cr_source(id)->link_segment);
		}
	}
}
