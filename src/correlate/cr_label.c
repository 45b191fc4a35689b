#include "cr_label.h"

#include "cr_call.h"
#include "cr_mark.h"

#define COLLECT_AT (1u << 20) /* labels, at least, before it is worth it */

struct cr_label_stats cr_label_stats;

/* ---- sources ------------------------------------------------------------------------ */

static struct cr_source *sources;
static UInt nsources = 1, sources_room, free_sources; /* free ones: a list through segment */

static UInt source_new(void)
{
	UInt id = free_sources;

	if (id) {
		free_sources = sources[id].segment;
		return id;
	}
	if (nsources >= sources_room) {
		sources_room = sources_room ? sources_room * 2 : 4096;
		sources = VG_(realloc)("cr.sources", sources, sources_room * sizeof(*sources));
	}
	return nsources++;
}

/* ---- sets --------------------------------------------------------------------------- */

struct set {
	UInt n; /* 0: free */
	UInt next_free;
	UInt *id; /* sorted */
	UInt one; /* where the id of a set of one is */
	Bool marked;
	Bool idle; /* detection has no use for any of them */
};

static struct set *sets;
static UInt nsets = 1, sets_room, free_sets, live;
static UInt *table, mask;
static UInt collect_at = COLLECT_AT;

static inline const UInt *ids_of(const struct set *s)
{
	return s->n == 1 ? &s->one : s->id;
}

static UInt hash_ids(const UInt *id, UInt n)
{
	UInt h = n;

	for (UInt i = 0; i < n; i++)
		h = cr_hash(h, id[i]);
	return h;
}

static void table_put(UInt s)
{
	UInt i = hash_ids(ids_of(&sets[s]), sets[s].n) & mask;

	while (table[i])
		i = (i + 1) & mask;
	table[i] = s;
}

static void table_rebuild(void)
{
	VG_(free)(table);
	mask = sets_room * 2 - 1;
	table = VG_(calloc)("cr.labels", mask + 1, sizeof(UInt));
	for (UInt s = 1; s < nsets; s++) {
		if (sets[s].n)
			table_put(s);
	}
}

/* Which of too many sources to keep: those that detection can use, then the oldest. */
static UInt worth(UInt id)
{
	const struct cr_source *s = &sources[id];

	return (cr_segment(s->segment)->lockset ? 2 : 0) + (s->flags & CR_SRC_SHARED ? 1 : 0);
}

static UInt set_new(const UInt *id, UInt n)
{
	UInt s = free_sets;

	if (s) {
		free_sets = sets[s].next_free;
	} else {
		if (nsets >= sets_room) {
			sets_room = sets_room ? sets_room * 2 : 8192;
			sets = VG_(realloc)("cr.labels", sets, sets_room * sizeof(*sets));
			table_rebuild();
		}
		s = nsets++;
	}
	sets[s].n = n;
	sets[s].marked = False;
	sets[s].idle = True;
	for (UInt i = 0; i < n; i++)
		sets[s].idle &= !worth(id[i]);
	if (n == 1) {
		sets[s].one = id[0];
	} else {
		sets[s].id = VG_(malloc)("cr.label", n * sizeof(*id));
		VG_(memcpy)(sets[s].id, id, n * sizeof(*id));
	}
	live++;
	table_put(s);
	return s;
}

static cr_label intern(const UInt *id, UInt n)
{
	if (!n)
		return 0;
	for (UInt i = hash_ids(id, n) & mask; mask && table[i]; i = (i + 1) & mask) {
		const struct set *s = &sets[table[i]];

		if (s->n == n && !VG_(memcmp)(ids_of(s), id, n * sizeof(*id)))
			return CR_TAG | table[i];
	}
	return CR_TAG | set_new(id, n);
}

cr_label cr_label_source(Addr word, ULong at, UInt flags, ULong handed,
			 UInt handed_by)
{
	UInt id = source_new();

	sources[id] = (struct cr_source){ .word = word, .epoch = cr_me->epoch, .at = at,
					  .segment = cr_segment_now(), .ctx = cr_call_ctx(),
					  .flags = flags, .handed = handed,
					  .handed_by = handed_by };
	cr_label_stats.sources++;
	return CR_TAG | set_new(&id, 1);
}

static UInt shorten(UInt *id, UInt n)
{
	while (n > CR_SOURCES) {
		UInt worst = n - 1;

		for (UInt i = n - 1; i > 0; i--) {
			if (worth(id[i - 1]) < worth(id[worst]))
				worst = i - 1;
		}
		for (UInt i = worst; i + 1 < n; i++)
			id[i] = id[i + 1];
		n--;
	}
	return n;
}

/* Unions of the same two come again and again. */
#define CACHE 4096u
static struct {
	cr_label a, b, sum;
} cache[CACHE];

cr_label cr_label_union(cr_label a, cr_label b)
{
	UInt id[2 * CR_SOURCES], n = 0, slot;
	const struct set *x, *y;

	if (!a || a == b)
		return b;
	if (!b)
		return a;
	if (a > b) {
		cr_label swap = a;

		a = b;
		b = swap;
	}
	/* A full one is not changed by what would be the first to be left out. */
	if (sets[b & ~CR_TAG].idle && sets[a & ~CR_TAG].n == CR_SOURCES)
		return a;
	if (sets[a & ~CR_TAG].idle && sets[b & ~CR_TAG].n == CR_SOURCES)
		return b;
	slot = cr_hash(a, b) % CACHE;
	if (cache[slot].a == a && cache[slot].b == b)
		return cache[slot].sum;
	cr_label_stats.unions++;
	x = &sets[a & ~CR_TAG];
	y = &sets[b & ~CR_TAG];
	for (UInt i = 0, k = 0; i < x->n || k < y->n;) {
		UInt p = i < x->n ? ids_of(x)[i] : 0xffffffffu;
		UInt q = k < y->n ? ids_of(y)[k] : 0xffffffffu;

		id[n++] = p < q ? p : q;
		i += p <= q;
		k += q <= p;
	}
	cache[slot].a = a;
	cache[slot].b = b;
	cache[slot].sum = intern(id, shorten(id, n));
	return cache[slot].sum;
}

UInt cr_label_count(cr_label l)
{
	return l ? sets[l & ~CR_TAG].n : 0;
}

struct cr_source *cr_label_get(cr_label l, UInt i, UInt *id)
{
	UInt source = ids_of(&sets[l & ~CR_TAG])[i];

	if (id)
		*id = source;
	return &sources[source];
}

cr_label cr_label_widen(cr_label l)
{
	struct cr_source *s = cr_label_count(l) == 1 ? cr_label_get(l, 0, NULL) : NULL;

	if (!s || worth(sets[l & ~CR_TAG].one) || s->epoch != cr_me->epoch)
		return 0;
	s->flags |= CR_SRC_WIDE;
	return l;
}

Bool cr_label_common(cr_label a, cr_label b)
{
	for (UInt i = 0; i < cr_label_count(a); i++) {
		for (UInt k = 0; k < cr_label_count(b); k++) {
			if (ids_of(&sets[a & ~CR_TAG])[i] == ids_of(&sets[b & ~CR_TAG])[k])
				return True;
		}
	}
	return False;
}

/* ---- collection ---------------------------------------------------------------------- */

void cr_label_mark(cr_label l)
{
	if (l)
		sets[l & ~CR_TAG].marked = True;
}

static void free_set(UInt s)
{
	if (sets[s].n > 1)
		VG_(free)(sets[s].id);
	sets[s].n = 0;
	sets[s].next_free = free_sets;
	free_sets = s;
	live--;
}

static void sweep(void)
{
	for (UInt s = 1; s < nsets; s++) {
		struct set *set = &sets[s];

		if (set->n && !set->marked)
			free_set(s);
		for (UInt i = 0; set->n && i < set->n; i++)
			sources[ids_of(set)[i]].flags |= CR_SRC_MARK;
		set->marked = False;
	}
	for (UInt id = 1; id < nsources; id++) {
		struct cr_source *s = &sources[id];

		if (!(s->flags & CR_SRC_MARK) && s->word) {
			s->word = 0;
			s->segment = free_sources;
			free_sources = id;
		}
		s->flags &= ~CR_SRC_MARK;
	}
	table_rebuild();
	VG_(memset)(cache, 0, sizeof(cache));
}

void cr_label_collect(void)
{
	cr_label_stats.live = live;
	if (live < collect_at)
		return;
	cr_mark_labels();
	sweep();
	cr_label_stats.collections++;
	collect_at = live * 2 < COLLECT_AT ? COLLECT_AT : live * 2;
}
