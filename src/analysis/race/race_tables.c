/* What a cell has no room for: several readers, halves and bytes that differ. */
#include "race_impl.h"

#include <stdlib.h>
#include <string.h>

void hd_race_readers_release(struct hd_race *r, struct hd_cell_more *m)
{
	struct hd_race_readers *x = hd_race_readers_of(r, m);

	if (!x)
		return;
	if (x->len)
		memset(x->by_slot, 0, x->len * sizeof(*x->by_slot));
	x->next_free = r->free_readers;
	r->free_readers = m->extra & HD_EXTRA_NUMBER;
	m->extra &= HD_EXTRA_ATOMIC;
}

/* The table of a cell that is not split, made if need be. */
struct hd_race_readers *hd_race_readers_make(struct hd_race *r, struct hd_cell_more *m)
{
	struct hd_race_readers *x = hd_race_readers_of(r, m);
	uint32_t n = r->free_readers;

	if (x)
		return x;
	if (n) {
		r->free_readers = r->readers[n].next_free;
	} else {
		if (!HD_RACE_ROOM(r, r->readers, r->readers_cap, r->nreaders + 1))
			return NULL;
		n = r->nreaders++;
	}
	m->extra |= n;
	return &r->readers[n];
}

/* The place of @slot in the table. */
struct hd_race_reader *hd_race_reader_at(struct hd_race *r, struct hd_race_readers *x,
					 uint32_t slot)
{
	if (slot >= x->len) {
		uint32_t len = slot + 4;
		struct hd_race_reader *p = realloc(x->by_slot, len * sizeof(*p));

		if (!p) {
			r->failed = true;
			return NULL;
		}
		memset(p + x->len, 0, (len - x->len) * sizeof(*p));
		x->by_slot = p;
		x->len = len;
	}
	return &x->by_slot[slot];
}

/* ---- splits -------------------------------------------------------------- */

/* The state of a byte that only one thread has touched: by reads only, if that is what it has left. */
static uint32_t lockset_of_byte(const struct hd_cell *c, uint32_t lockset)
{
	enum hd_race_state state = lockset & ((1u << HD_RACE_STATE_BITS) - 1);

	if (state != HD_RACE_EXCLUSIVE_READ && state != HD_RACE_EXCLUSIVE_WRITE)
		return lockset;
	if (!c->read && !c->write)
		return HD_RACE_NEW;
	state = c->read ? HD_RACE_EXCLUSIVE_READ : HD_RACE_EXCLUSIVE_WRITE;
	return (lockset & ~((1u << HD_RACE_STATE_BITS) - 1)) | state;
}

/* The number of one that is not used; 0: out of memory. */
static uint32_t new_split(struct hd_race *r)
{
	uint32_t n = r->free_splits, at = r->nsplits >> HD_SPLITS_LOG;

	if (n) {
		r->free_splits = hd_race_split_at(r, n)->next_free;
		return n;
	}
	if (!HD_RACE_ROOM(r, r->splits, r->splits_cap, at + 1))
		return 0;
	if (!r->splits[at])
		r->splits[at] = calloc(HD_SPLITS, sizeof(**r->splits));
	if (!r->splits[at]) {
		r->failed = true;
		return 0;
	}
	return r->nsplits++;
}

/* Bytes of this cell were last touched by different accesses: remember each by itself. */
struct hd_race_split *hd_race_split_cell(struct hd_race *r, struct hd_cell *c,
					 struct hd_cell_more *m)
{
	uint32_t n = new_split(r);
	struct hd_race_split *s;

	if (!n)
		return NULL;
	s = hd_race_split_at(r, n);
	for (unsigned b = 0; b < 4; b++) {
		struct hd_shadow_cell *byte = &s->bytes[b];
		const struct hd_race_readers *x;

		byte->tags = (struct hd_cell){ .write = hd_race_narrowed(c->write, b),
					       .read = hd_race_narrowed(c->read, b) };
		byte->more = *m;
		byte->more.extra = 0;
		byte->more.lockset = lockset_of_byte(&byte->tags, m->lockset);
		x = hd_race_readers_of(r, m);
		for (uint32_t i = 0; x && i < x->len; i++) {
			uint64_t tag = hd_race_narrowed(x->by_slot[i].tag, b);
			uint32_t site = x->by_slot[i].site;
			struct hd_race_readers *own =
				tag ? hd_race_readers_make(r, &byte->more) : NULL;
			struct hd_race_reader *mine = own ? hd_race_reader_at(r, own, i) : NULL;

			if (mine)
				*mine = (struct hd_race_reader){ .tag = tag, .site = site };
			x = hd_race_readers_of(r, m); /* may have moved */
		}
	}
	hd_race_readers_release(r, m);
	*c = (struct hd_cell){ 0 };
	m->extra |= HD_EXTRA_SPLIT | n;
	return s;
}

void hd_race_split_release(struct hd_race *r, struct hd_cell_more *m)
{
	uint32_t n = m->extra & HD_EXTRA_NUMBER;

	if (!(m->extra & HD_EXTRA_SPLIT))
		return;
	for (unsigned b = 0; b < 4; b++)
		hd_race_readers_release(r, &hd_race_split_at(r, n)->bytes[b].more);
	hd_race_split_at(r, n)->next_free = r->free_splits;
	r->free_splits = n;
	m->extra &= HD_EXTRA_ATOMIC;
}

/* ---- halves -------------------------------------------------------------- */

/* Another cell gets the readers of @from. */
static bool copy_readers(struct hd_race *r, const struct hd_cell_more *from,
			 struct hd_cell_more *into)
{
	uint32_t number = from->extra & HD_EXTRA_NUMBER, len = r->readers[number].len;
	struct hd_race_readers *own;

	into->extra = 0;
	own = hd_race_readers_make(r, into);
	if (!own || (len && !hd_race_reader_at(r, own, len - 1)))
		return false;
	if (len)
		memcpy(own->by_slot, r->readers[number].by_slot, len * sizeof(*own->by_slot));
	return true;
}

/* The two cells of what @c was about: both halves of it, ... */
static bool divide_whole(struct hd_race *r, struct hd_shadow_cell *c, struct hd_shadow_cell *odd)
{
	*odd = *c;
	if (c->more.extra && !copy_readers(r, &c->more, &odd->more))
		return false;
	c->tags.write |= c->tags.write ? HD_TAG_WIDE : 0;
	c->tags.read |= c->tags.read ? HD_TAG_WIDE : 0;
	return true;
}

/* ... or one of them. */
static void divide_half(struct hd_race *r, struct hd_shadow_cell *c, struct hd_shadow_cell *odd)
{
	bool upper = (c->tags.write | c->tags.read) & HD_TAG_UPPER;
	struct hd_race_readers *x = hd_race_readers_of(r, &c->more);

	c->tags.write &= ~HD_TAG_PART;
	c->tags.read &= ~HD_TAG_PART;
	for (uint32_t i = 0; x && i < x->len; i++)
		x->by_slot[i].tag &= ~HD_TAG_PART;
	if (upper) {
		*odd = *c;
		*c = (struct hd_shadow_cell){ 0 };
	}
}

bool hd_race_divide(struct hd_race *r, struct hd_shadow_page *p)
{
	struct hd_shadow_cell *odd;

	if (p->odd)
		return true;
	odd = hd_shadow_new_cells(&r->shadow);
	if (!odd) {
		r->failed = true;
		return false;
	}
	for (uint32_t i = 0; i < HD_PAGE_CELLS; i++) {
		struct hd_shadow_cell *c = &p->cells[i];

		if ((c->tags.write | c->tags.read) & HD_TAG_HALF)
			divide_half(r, c, &odd[i]);
		else if (!divide_whole(r, c, &odd[i]))
			return false;
	}
	p->odd = odd;
	return true;
}
