#include "pattern_store.h"

#include <stdlib.h>
#include <string.h>

#include "common/budget.h"

enum { KIND_RWR, KIND_RWW, KIND_WWR, KIND_WWW, KIND_WRW, KIND_NONE };

static const char *const kind_names[] = { "RWR", "RWW", "WWR", "WWW", "WRW" };

/* --- tables --- */

static struct hd_link *entry_at(const struct hd_link_table *t, uint32_t i)
{
	return (struct hd_link *)(void *)(t->entries + i * t->entry_size);
}

static struct hd_access_entry *access_at(const struct hd_pattern_store *s, uint32_t i)
{
	return (struct hd_access_entry *)(void *)entry_at(&s->accesses, i);
}

static struct hd_pair_entry *pair_at(const struct hd_pattern_store *s, uint32_t i)
{
	return (struct hd_pair_entry *)(void *)entry_at(&s->pairs, i);
}

static struct hd_pattern *pattern_at(const struct hd_pattern_store *s, uint32_t i)
{
	return (struct hd_pattern *)(void *)entry_at(&s->patterns, i);
}

static bool buckets_grow(struct hd_link_table *t)
{
	uint32_t n = t->nbuckets ? t->nbuckets * 2 : 256;
	uint32_t *buckets = calloc(n, sizeof(*buckets));

	if (!buckets)
		return false;
	for (uint32_t b = 0; b < t->nbuckets; b++) {
		for (uint32_t i = t->buckets[b], next; i; i = next) {
			struct hd_link *e = entry_at(t, i);

			next = e->next_in_bucket;
			e->next_in_bucket = buckets[e->hash & (n - 1)];
			buckets[e->hash & (n - 1)] = i;
		}
	}
	free(t->buckets);
	t->buckets = buckets;
	t->nbuckets = n;
	return true;
}

static uint32_t new_entry(struct hd_link_table *t)
{
	uint32_t i = t->free;

	if (i) {
		t->free = entry_at(t, i)->next_in_var;
		return i;
	}
	if (t->count + 1 >= t->room) {
		uint32_t room = t->room ? t->room * 2 : 64;
		char *entries =
			room > UINT32_MAX / 4 ? NULL : realloc(t->entries, room * t->entry_size);

		if (!entries)
			return 0;
		t->entries = entries;
		t->room = room;
	}
	return ++t->count;
}

/* The entry with @key; *@fresh: it was made, all zero but for its key. 0: out of memory. */
static uint32_t table_put(struct hd_link_table *t, const void *key, bool *fresh)
{
	uint32_t hash = hd_hash_bytes(key, t->key_size), i;
	struct hd_link *e;

	*fresh = false;
	if (t->count >= t->nbuckets && !buckets_grow(t))
		return 0;
	for (i = t->buckets[hash & (t->nbuckets - 1)]; i; i = e->next_in_bucket) {
		e = entry_at(t, i);
		if (e->hash == hash && !memcmp((char *)e + t->key_offset, key, t->key_size))
			return i;
	}
	i = new_entry(t);
	if (!i)
		return 0;
	e = entry_at(t, i);
	memset(e, 0, t->entry_size);
	memcpy((char *)e + t->key_offset, key, t->key_size);
	e->hash = hash;
	e->next_in_bucket = t->buckets[hash & (t->nbuckets - 1)];
	t->buckets[hash & (t->nbuckets - 1)] = i;
	*fresh = true;
	return i;
}

static void table_drop(struct hd_link_table *t, uint32_t i)
{
	struct hd_link *e = entry_at(t, i);
	uint32_t *at = &t->buckets[e->hash & (t->nbuckets - 1)];

	while (*at != i)
		at = &entry_at(t, *at)->next_in_bucket;
	*at = e->next_in_bucket;
	e->next_in_var = t->free;
	t->free = i;
}

static void table_drop_list(struct hd_link_table *t, uint32_t *head)
{
	for (uint32_t i = *head, next; i; i = next) {
		next = entry_at(t, i)->next_in_var;
		table_drop(t, i);
	}
	*head = 0;
}

static void table_free(struct hd_link_table *t)
{
	free(t->entries);
	free(t->buckets);
}

void hd_pattern_store_init(struct hd_pattern_store *s)
{
	*s = (struct hd_pattern_store){
		.accesses = { .entry_size = sizeof(struct hd_access_entry),
			      .key_offset = offsetof(struct hd_access_entry, key),
			      .key_size = sizeof(struct hd_access_key) },
		.pairs = { .entry_size = sizeof(struct hd_pair_entry),
			   .key_offset = offsetof(struct hd_pair_entry, key),
			   .key_size = sizeof(struct hd_pair_key) },
		.patterns = { .entry_size = sizeof(struct hd_pattern),
			      .key_offset = offsetof(struct hd_pattern, key),
			      .key_size = sizeof(struct hd_pattern_key) },
	};
}

void hd_pattern_store_free(struct hd_pattern_store *s)
{
	table_free(&s->accesses);
	table_free(&s->pairs);
	table_free(&s->patterns);
	hd_intern_free(&s->held);
	hd_intern_free(&s->gaps);
}

/* --- accesses and pairs --- */

void hd_store_access_again(struct hd_pattern_store *s, uint32_t entry, const struct hd_spot *spot)
{
	struct hd_access_entry *e = access_at(s, entry);

	e->last = *spot;
	e->count++;
}

void hd_store_pair_again(struct hd_pattern_store *s, uint32_t entry, const struct hd_spot *e1,
			 const struct hd_spot *e2)
{
	struct hd_pair_entry *e = pair_at(s, entry);

	e->last[0] = *e1;
	e->last[1] = *e2;
	e->count++;
}

uint32_t hd_store_access(struct hd_pattern_store *s, struct hd_variable *v,
			 const struct hd_access_key *key, const struct hd_spot *spot)
{
	bool fresh;
	uint32_t i = table_put(&s->accesses, key, &fresh);

	if (!i) {
		s->failed = true;
		return 0;
	}
	if (fresh) {
		access_at(s, i)->first = *spot;
		access_at(s, i)->link.next_in_var = v->accesses;
		v->accesses = i;
	}
	hd_store_access_again(s, i, spot);
	return i;
}

uint32_t hd_store_pair(struct hd_pattern_store *s, struct hd_variable *v,
		       const struct hd_pair_key *key, const struct hd_spot *e1,
		       const struct hd_spot *e2)
{
	bool fresh;
	uint32_t i = table_put(&s->pairs, key, &fresh);

	if (!i) {
		s->failed = true;
		return 0;
	}
	if (fresh) {
		pair_at(s, i)->first[0] = *e1;
		pair_at(s, i)->first[1] = *e2;
		pair_at(s, i)->link.next_in_var = v->pairs;
		v->pairs = i;
	}
	hd_store_pair_again(s, i, e1, e2);
	return i;
}

/* --- patterns --- */

static bool overlap(uint64_t a, uint64_t alen, uint64_t b, uint64_t blen)
{
	return a < b ? b - a < alen : a - b < blen;
}

static unsigned kind_of(bool write1, bool writef, bool write2)
{
	if (writef)
		return write1 ? (write2 ? KIND_WWW : KIND_WWR) : (write2 ? KIND_RWW : KIND_RWR);
	return write1 && write2 ? KIND_WRW : KIND_NONE;
}

/* Does @thread access @addr.. so that it conflicts with an access that @writes or not? */
static bool has_conflict(const struct hd_pattern_store *s, const struct hd_variable *v,
			 uint32_t thread, uint64_t addr, uint64_t len, bool writes)
{
	for (uint32_t i = v->accesses; i; i = access_at(s, i)->link.next_in_var) {
		const struct hd_access_key *a = &access_at(s, i)->key;

		if (a->thread == thread && (a->write || writes) &&
		    overlap(a->addr, a->len, addr, len))
			return true;
	}
	return false;
}

/*
 * Is it about the same bytes? In a word, all three overlap; a triple that overlaps in several
 * words counts in that where the last of them begins. In a group, @f conflicts with
 * one of the pair and its thread somewhere with the other one: without both there is no
 * cycle, however the threads are interleaved.
 */
static bool same_bytes(const struct hd_pattern_store *s, const struct hd_variable *v,
		       const struct hd_pair_key *p, const struct hd_access_key *f)
{
	bool first = overlap(p->addr1, p->len1, f->addr, f->len);
	bool second = overlap(p->addr2, p->len2, f->addr, f->len);

	if (v->group < 0)
		return first && second && (p->begins || f->begins);
	first = first && (p->write1 || f->write);
	second = second && (p->write2 || f->write);
	if (first && second)
		return true;
	if (first)
		return has_conflict(s, v, f->thread, p->addr2, p->len2, p->write2);
	return second && has_conflict(s, v, f->thread, p->addr1, p->len1, p->write1);
}

/* Can the thread of @gap stand at one of its points while another is at @acq, @moment? */
static bool fits_gap(const struct hd_pattern_store *s, struct hd_lock_state *ls, uint32_t gap,
		     hd_acq acq, hd_moment moment)
{
	const struct hd_gap_point *points;
	size_t len;

	points = hd_intern_get(&s->gaps, gap, &len);
	for (size_t i = 0; i < len / sizeof(*points); i++) {
		/* Locks first: that is one look-up among few, most of the time. */
		if (hd_acq_compatible(ls->acqs, points[i].acq, acq) &&
		    !hd_must_before(&ls->must, moment, points[i].first) &&
		    !hd_must_before(&ls->must, points[i].last, moment))
			return true;
	}
	return false;
}

static uint64_t distance(const struct hd_spot *e, const struct hd_spot *f)
{
	if (f->index < e[0].index)
		return e[0].index - f->index;
	return f->index > e[1].index ? f->index - e[1].index : 0;
}

static bool earlier(const struct hd_pattern_way *a, const struct hd_pattern_way *b)
{
	if (a->e1.index != b->e1.index)
		return a->e1.index < b->e1.index;
	if (a->f.index != b->f.index)
		return a->f.index < b->f.index;
	return a->e2.index < b->e2.index;
}

static bool better(const struct hd_pattern_way *a, const struct hd_pattern_way *b)
{
	if (!a->known || !b->known)
		return a->known;
	return a->distance < b->distance || (a->distance == b->distance && earlier(a, b));
}

static uint64_t event_len(const struct hd_event *ev)
{
	return ev->op == HD_OP_READ_RANGE || ev->op == HD_OP_WRITE_RANGE ? ev->value : ev->size;
}

/* The bytes that it is about: of a word the common ones, of a group those of the third access. */
static void set_place(struct hd_found *found, const struct hd_pattern_way *w)
{
	const struct hd_event *events[] = { &w->f.event, &w->e1.event, &w->e2.event };
	uint64_t from = w->f.event.addr, end = from + event_len(&w->f.event);

	for (int i = 1; i < 3 && found->group < 0; i++) {
		uint64_t e_end = events[i]->addr + event_len(events[i]);

		from = events[i]->addr > from ? events[i]->addr : from;
		end = e_end < end ? e_end : end;
	}
	found->addr = from;
	found->size = end - from > UINT32_MAX ? UINT32_MAX : (uint32_t)(end - from);
}

/* Take over the instance if it is nearer together than the one of its kind that @p has. */
static void offer(struct hd_pattern *p, const struct hd_spot *e, const struct hd_spot *f)
{
	struct hd_pattern_way new = {
		.e1 = e[0], .e2 = e[1], .f = *f, .distance = distance(e, f), .known = true
	};
	struct hd_pattern_way *way = &p->ways[f->index < e[0].index   ? 0
					      : f->index < e[1].index ? 1
								      : 2];

	if (better(&new, way))
		*way = new;
}

static uint64_t product(uint64_t a, uint64_t b)
{
	uint64_t r;

	return __builtin_mul_overflow(a, b, &r) ? UINT64_MAX : r;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void add_pattern(struct hd_pattern_store *s, const struct hd_variable *v,
			const struct hd_pair_entry *pair, const struct hd_access_entry *f,
			unsigned kind)
{
	struct hd_pattern_key key = { .site1 = pair->key.site1,
				      .site2 = pair->key.site2,
				      .sitef = f->key.site,
				      .group = v->group,
				      .kind = kind };
	struct hd_pattern *p;
	bool fresh;
	uint32_t i = table_put(&s->patterns, &key, &fresh);

	if (!i) {
		s->failed = true;
		return;
	}
	p = pattern_at(s, i);
	offer(p, pair->first, &f->first);
	offer(p, pair->first, &f->last);
	offer(p, pair->last, &f->first);
	offer(p, pair->last, &f->last);
	p->count = sum(p->count, product(pair->count, f->count));
	p->declared |= pair->key.declared;
}

static void match(struct hd_pattern_store *s, struct hd_lock_state *ls, struct hd_variable *v,
		  const struct hd_pair_entry *pair)
{
	for (uint32_t i = v->accesses; i; i = access_at(s, i)->link.next_in_var) {
		const struct hd_access_entry *f = access_at(s, i);
		unsigned kind = kind_of(pair->key.write1, f->key.write, pair->key.write2);

		if (kind != KIND_NONE && f->key.thread != pair->key.thread &&
		    same_bytes(s, v, &pair->key, &f->key) &&
		    fits_gap(s, ls, pair->key.gap, f->key.acq, f->key.moment))
			add_pattern(s, v, pair, f, kind);
	}
}

void hd_store_retire(struct hd_pattern_store *s, struct hd_lock_state *ls, struct hd_variable *v)
{
	for (uint32_t i = v->pairs; i && !hd_budget_late(); i = pair_at(s, i)->link.next_in_var)
		match(s, ls, v, pair_at(s, i));
	table_drop_list(&s->accesses, &v->accesses);
	table_drop_list(&s->pairs, &v->pairs);
}

/* --- telling --- */

struct telling {
	const struct hd_pattern *pattern;
	const struct hd_pattern_way *way;
};

static int by_first_event(const void *a, const void *b)
{
	const struct telling *p = a, *q = b;

	if (earlier(p->way, q->way) || earlier(q->way, p->way))
		return earlier(p->way, q->way) ? -1 : 1;
	return p->pattern->key.group < q->pattern->key.group
		       ? -1
		       : p->pattern->key.group > q->pattern->key.group;
}

static struct hd_found_access told(const struct hd_pattern_store *s, const char *role,
				   const struct hd_spot *spot)
{
	struct hd_found_access a = { .role = role, .index = spot->index, .event = spot->event };
	size_t len;

	if (spot->locks) {
		a.locks = hd_intern_get(&s->held, spot->locks, &len);
		a.nlocks = len / sizeof(*a.locks);
	}
	return a;
}

static void tell(const struct hd_pattern_store *s, const struct telling *t, hd_found_fn *fn,
		 void *arg)
{
	const struct hd_pattern *p = t->pattern;
	struct hd_found_access accesses[] = { told(s, "e1", &t->way->e1), told(s, "f", &t->way->f),
					      told(s, "e2", &t->way->e2) };
	struct hd_found found = {
		.kind = HD_KIND_PATTERN,
		.pattern = kind_names[p->key.kind],
		.group = p->key.group,
		.merged = p->count - 1,
		.why = p->declared ? "the block that is torn apart was declared atomic" : NULL,
		.accesses = accesses,
		.naccesses = 3,
	};

	set_place(&found, t->way);
	fn(arg, &found);
}

/* Add what there is to tell of @p: all ways, or the one that is nearest together. */
static size_t list_ways(struct telling *list, size_t n, const struct hd_pattern *p, bool several)
{
	const struct hd_pattern_way *best = &p->ways[0];

	for (int i = 0; i < HD_PATTERN_WAYS; i++) {
		if (several && p->ways[i].known)
			list[n++] = (struct telling){ p, &p->ways[i] };
		if (better(&p->ways[i], best))
			best = &p->ways[i];
	}
	if (!several)
		list[n++] = (struct telling){ p, best };
	return n;
}

enum hd_err hd_store_tell(struct hd_pattern_store *s, bool only_declared, bool several,
			  hd_found_fn *fn, void *arg)
{
	struct telling *list =
		malloc((HD_PATTERN_WAYS * (size_t)s->patterns.count + 1) * sizeof(*list));
	size_t n = 0;

	if (!list || s->failed) {
		free(list);
		return HD_ERR_NOMEM;
	}
	for (uint32_t i = 1; i <= s->patterns.count; i++) {
		if (!only_declared || pattern_at(s, i)->declared)
			n = list_ways(list, n, pattern_at(s, i), several);
	}
	qsort(list, n, sizeof(*list), by_first_event);
	for (size_t i = 0; i < n; i++)
		tell(s, &list[i], fn, arg);
	free(list);
	return HD_OK;
}
