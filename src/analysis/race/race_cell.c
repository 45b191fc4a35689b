/* One cell: is an access ordered after those before it, and what is left of them. */
#include "race_impl.h"

#include <stdlib.h>

/* An earlier access that may conflict: a race if nothing orders it. True: it is one. */
bool hd_race_check(struct hd_race *r, const struct hd_race_access *a, uint64_t addr, uint64_t tag,
		   uint32_t site, uint64_t bytes)
{
	if (!tag || !(tag & bytes & HD_TAG_BYTES) || hd_race_before(a->who.full, tag))
		return false;
	/*
	 * A block may be freed with more bytes than it was asked for, which its next
	 * owner's ALLOC did not mention: that is no double free.
	 */
	if (a->ev->op == HD_OP_FREE && r->sites[site].op == HD_OP_FREE)
		return false;
	hd_race_tell(r, HD_KIND_RACE, a, addr, tag, site);
	return true;
}

/* Is every read of this cell ordered before, in the relation of @clock? */
static bool reads_before(struct hd_race *r, const struct hd_vclock *clock, const struct hd_cell *c,
			 const struct hd_cell_more *m)
{
	const struct hd_race_readers *x = hd_race_readers_of(r, m);

	if (c->read && !hd_race_before(clock, c->read))
		return false;
	for (uint32_t i = 0; x && i < x->len; i++) {
		if (x->by_slot[i].tag && !hd_race_before(clock, x->by_slot[i].tag))
			return false;
	}
	return true;
}

void hd_race_check_reads(struct hd_race *r, const struct hd_race_access *a, uint64_t addr,
			 const struct hd_cell *c, const struct hd_cell_more *m, uint64_t bytes)
{
	const struct hd_race_readers *x = hd_race_readers_of(r, m);

	if (hd_race_check(r, a, addr, c->read, m->read_site, bytes))
		return;
	for (uint32_t i = 0; x && i < x->len; i++) {
		if (hd_race_check(r, a, addr, x->by_slot[i].tag, x->by_slot[i].site, bytes))
			return;
	}
}

/* ---- the lockset machine ------------------------------------------------- */

/*
 * An earlier access for the report of a candidate: by another thread, preferably a write; if @a is a
 * read, no other. False: there is none.
 */
static bool tell_candidate(struct hd_race *r, const struct hd_race_access *a, uint64_t addr,
			   const struct hd_cell *c, const struct hd_cell_more *m)
{
	const struct hd_race_readers *x = a->write ? hd_race_readers_of(r, m) : NULL;
	uint32_t mine = hd_race_slot(a->who.epoch);

	if (c->write && hd_race_slot(c->write) != mine) {
		hd_race_tell(r, HD_KIND_LOCKSET, a, addr, c->write, m->write_site);
		return true;
	}
	if (a->write && c->read && hd_race_slot(c->read) != mine) {
		hd_race_tell(r, HD_KIND_LOCKSET, a, addr, c->read, m->read_site);
		return true;
	}
	for (uint32_t i = 0; x && i < x->len; i++) {
		if (x->by_slot[i].tag && i != mine) {
			hd_race_tell(r, HD_KIND_LOCKSET, a, addr, x->by_slot[i].tag,
				     x->by_slot[i].site);
			return true;
		}
	}
	return false;
}

static void lockset_step(struct hd_race *r, const struct hd_race_access *a, uint64_t addr,
			 const struct hd_cell *c, struct hd_cell_more *m)
{
	enum hd_race_state state = m->lockset & ((1u << HD_RACE_STATE_BITS) - 1);
	hd_lockset set = m->lockset >> HD_RACE_STATE_BITS,
		   mine = a->write ? a->who.exclusive : a->who.locks;
	bool ordered = (!c->write || hd_race_before(a->who.weak, c->write)) &&
		       reads_before(r, a->who.weak, c, m);

	if (state == HD_RACE_TOLD)
		return;
	if (state == HD_RACE_NEW || ordered) {
		state = a->write ? HD_RACE_EXCLUSIVE_WRITE : HD_RACE_EXCLUSIVE_READ;
		set = mine;
	} else {
		bool reads_only = state == HD_RACE_EXCLUSIVE_READ || state == HD_RACE_SHARED_READ;

		if (set != mine)
			set = hd_lockset_meet(r->sets, set, mine);
		state = reads_only && !a->write ? HD_RACE_SHARED_READ : HD_RACE_SHARED_WRITE;
		if (state == HD_RACE_SHARED_WRITE && set == HD_LOCKSET_EMPTY) {
			/* A race that is certain has been told as such. */
			if ((c->write && !hd_race_before(a->who.full, c->write)) ||
			    !reads_before(r, a->who.full, c, m) || tell_candidate(r, a, addr, c, m))
				state = HD_RACE_TOLD;
		}
	}
	m->lockset = state | (set > HD_RACE_MAX_SET ? HD_LOCKSET_EMPTY : set) << HD_RACE_STATE_BITS;
}

/* ---- one cell ------------------------------------------------------------ */

/* Is there nothing at @tag, or is it of the same thread as @a, under the same locks? */
static bool is_same_owner(const struct hd_race *r, const struct hd_race_access *a, uint64_t tag,
			  uint32_t site)
{
	return !tag || (hd_race_slot(tag) == hd_race_slot(a->who.epoch) &&
			r->sites[site].locks == a->who.locks);
}

/*
 * A cell has one lockset: a thread may touch its bytes one by one under the same locks, but nobody else
 * some of them only, for two variables side by side may well have a lock each. Must the cell be split
 * before @a touches the bytes of @tag?
 */
static bool is_apart(struct hd_race *r, const struct hd_race_access *a, const struct hd_cell *c,
		     const struct hd_cell_more *m, uint64_t tag)
{
	uint64_t old = (c->write | c->read) & HD_TAG_BYTES;
	const struct hd_race_readers *x = hd_race_readers_of(r, m);

	for (uint32_t i = 0; x && i < x->len; i++)
		old |= x->by_slot[i].tag & HD_TAG_BYTES;
	if (!old || old == (tag & HD_TAG_BYTES) || !r->options.locksets)
		return false;
	if (!x && is_same_owner(r, a, c->write, m->write_site) &&
	    is_same_owner(r, a, c->read, m->read_site))
		return false;
	/* What covers all that came before, and is ordered after it, begins anew. */
	return (old & ~tag) || (c->write && !hd_race_before(a->who.weak, c->write)) ||
	       !reads_before(r, a->who.weak, c, m);
}

/*
 * One tag and one site for both @old and the new access @tag, if that loses
 * nothing: what is left must name an access to each of its bytes. False: the cell
 * must be split.
 */
static bool combine(uint64_t *old, uint32_t *old_site, uint64_t tag, uint32_t site)
{
	bool same_epoch = (*old & HD_TAG_EPOCH) == (tag & HD_TAG_EPOCH);

	if (!(*old & ~tag & HD_TAG_BYTES)) { /* also if there is none */
		*old = tag | (same_epoch ? *old & HD_TAG_WIDE : 0);
		*old_site = site;
		return true;
	}
	if (!same_epoch)
		return false;
	if (!(tag & ~*old & HD_TAG_BYTES))
		return true;
	if (*old_site != site)
		return false;
	*old |= tag & HD_TAG_BYTES; /* a loop over bytes */
	return true;
}

/* Note a read. False: the cell must be split first. */
static bool put_read(struct hd_race *r, struct hd_race_access *a, struct hd_cell *c,
		     struct hd_cell_more *m, uint64_t tag)
{
	uint32_t site = hd_race_site_of(r, a);
	struct hd_race_readers *x;
	struct hd_race_reader *p;

	if (!c->read || hd_race_slot(c->read) == hd_race_slot(tag) ||
	    (hd_race_before(a->who.full, c->read) && !hd_race_readers_of(r, m)))
		return combine(&c->read, &m->read_site, tag, site);
	/* Somebody else read it last: that goes to the table, and ours comes out. */
	x = hd_race_readers_make(r, m);
	p = x ? hd_race_reader_at(r, x, hd_race_slot(tag)) : NULL;
	if (!p)
		return true;
	if (p->tag && !combine(&p->tag, &p->site, tag, site))
		return false;
	if (p->tag) {
		tag = p->tag;
		site = p->site;
		p->tag = 0;
	}
	p = hd_race_reader_at(r, x, hd_race_slot(c->read));
	if (p)
		*p = (struct hd_race_reader){ .tag = c->read, .site = m->read_site };
	c->read = tag;
	m->read_site = site;
	return true;
}

static bool put_write(struct hd_race *r, struct hd_race_access *a, struct hd_cell *c,
		      struct hd_cell_more *m, uint64_t tag)
{
	bool covers = (tag & HD_TAG_BYTES) == HD_TAG_BYTES;

	if (!combine(&c->write, &m->write_site, tag, hd_race_site_of(r, a)))
		return false;
	/* Reads that this write has been compared with, and that it covers, are history. */
	if (covers || (!hd_race_readers_of(r, m) && !(c->read & ~tag & HD_TAG_BYTES))) {
		if (hd_race_readers_of(r, m))
			hd_race_readers_release(r, m);
		c->read = 0;
	}
	return true;
}

void hd_race_check_atomics(struct hd_race *r, const struct hd_race_access *a, uint64_t cell_addr,
			   uint64_t bytes)
{
	const struct hd_race_atomics *x = hd_addr_map_find(&r->atomics, cell_addr + 1);

	for (uint32_t i = 0; x && i < x->n; i++) {
		if ((a->write || x->list[i].write) &&
		    hd_race_check(r, a, cell_addr, x->list[i].tag, x->list[i].site, bytes))
			return;
	}
}

void hd_race_put_atomic(struct hd_race *r, struct hd_race_access *a, uint64_t cell_addr,
			struct hd_cell_more *m, uint64_t tag)
{
	struct hd_race_atomics *x = hd_addr_map_get(&r->atomics, cell_addr + 1);
	uint32_t i;

	if (!x) {
		r->failed = true;
		return;
	}
	m->extra |= HD_EXTRA_ATOMIC;
	for (i = 0; i < x->n; i++) {
		if (hd_race_slot(x->list[i].tag) == hd_race_slot(tag) &&
		    x->list[i].write == a->write &&
		    combine(&x->list[i].tag, &x->list[i].site, tag, hd_race_site_of(r, a)))
			return;
	}
	if (HD_RACE_ROOM(r, x->list, x->cap, x->n + 1))
		x->list[x->n++] = (struct hd_race_atomic){ .write = a->write,
							   .tag = tag,
							   .site = hd_race_site_of(r, a) };
}

/* Does the lockset of a cell stay what it is when the thread of @v reads it? */
static bool keeps_lockset(struct hd_race *r, const struct hd_race_view *v,
			  const struct hd_shadow_cell *c)
{
	enum hd_race_state state = c->more.lockset & HD_RACE_STATES;
	hd_lockset set = c->more.lockset >> HD_RACE_STATE_BITS;

	if (state == HD_RACE_TOLD)
		return true;
	if (state == HD_RACE_SHARED_READ
		    ? set != HD_LOCKSET_EMPTY && set != v->locks
		    : state != HD_RACE_SHARED_WRITE || set == HD_LOCKSET_EMPTY || set != v->locks)
		return false;
	/* If all of it is ordered by more than locks, it begins anew. */
	return !hd_race_clock_has(v->weak, v->weak_len, c->tags.write) ||
	       !reads_before(r, r->who.weak, &c->tags, &c->more);
}

bool hd_race_shared_read(const struct hd_race_view *v, struct hd_shadow_cell *c, uint64_t tag,
			 uint32_t site)
{
	uint32_t mine = hd_race_slot(tag), theirs = hd_race_slot(c->tags.read);
	struct hd_race *r = v->race;
	struct hd_race_readers *x;

	if ((c->more.extra & (HD_EXTRA_ATOMIC | HD_EXTRA_SPLIT)) ||
	    (c->tags.read & HD_TAG_BYTES) != HD_TAG_BYTES ||
	    !hd_race_clock_has(v->full, v->full_len, c->tags.write) || !keeps_lockset(r, v, c))
		return false;
	x = hd_race_readers_of(r, &c->more);
	if (mine >= x->len || theirs >= x->len)
		return false;
	if (mine != theirs) {
		x->by_slot[mine].tag = 0;
		x->by_slot[theirs] =
			(struct hd_race_reader){ .tag = c->tags.read, .site = c->more.read_site };
	}
	c->tags.read = tag;
	c->more.read_site = site;
	return true;
}

static __attribute__((noinline)) void touch_split(struct hd_race *r, struct hd_race_access *a,
						  uint64_t addr, struct hd_cell_more *m,
						  uint64_t tag)
{
	struct hd_race_split *s = hd_race_split_at(r, m->extra);

	for (unsigned b = 0; b < 4; b++) {
		if (tag >> b & 1)
			hd_race_touch(r, a, addr + b, &s->bytes[b].tags, &s->bytes[b].more,
				      hd_race_narrowed(tag, b));
	}
}

void hd_race_touch(struct hd_race *r, struct hd_race_access *a, uint64_t addr, struct hd_cell *c,
		   struct hd_cell_more *m, uint64_t tag)
{
	if (m->extra & HD_EXTRA_SPLIT) {
		touch_split(r, a, addr, m, tag);
		return;
	}
	if (!a->atomic && (c->write | c->read) && is_apart(r, a, c, m, tag)) {
		if (hd_race_split_cell(r, c, m))
			touch_split(r, a, addr, m, tag);
		return;
	}
	hd_race_check(r, a, addr, c->write, m->write_site, tag);
	if (a->write)
		hd_race_check_reads(r, a, addr, c, m, tag);
	if (a->atomic)
		return;
	if (r->options.locksets)
		lockset_step(r, a, addr, c, m);
	if (a->write ? put_write(r, a, c, m, tag) : put_read(r, a, c, m, tag))
		return;
	if (hd_race_split_cell(r, c, m))
		touch_split(r, a, addr, m, tag);
}
