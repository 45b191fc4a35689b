#include "race_impl.h"

#include <stdlib.h>

/* ---- accesses ------------------------------------------------------------ */

/*
 * The common case of hd_race_touch(): the whole cell, nothing special about it, all that went
 * before is ordered, and no lockset runs empty. Then only this access is left.
 */
static inline bool takes_over(struct hd_race *r, struct hd_race_access *a, struct hd_cell *c,
			      struct hd_cell_more *m, uint64_t tag)
{
	enum hd_race_state state = m->lockset & ((1u << HD_RACE_STATE_BITS) - 1);
	hd_lockset set = m->lockset >> HD_RACE_STATE_BITS;
	hd_lockset mine = a->write ? a->who.exclusive : a->who.locks;

	if (m->extra || !hd_race_before(a->who.full, c->write) ||
	    !hd_race_before(a->who.full, c->read))
		return false;
	if (hd_race_before(a->who.weak, c->write) && hd_race_before(a->who.weak, c->read)) {
		if (state != HD_RACE_TOLD) {
			state = a->write ? HD_RACE_EXCLUSIVE_WRITE : HD_RACE_EXCLUSIVE_READ;
			set = mine;
		}
	} else if (state != HD_RACE_TOLD) {
		bool reads_only = state == HD_RACE_EXCLUSIVE_READ || state == HD_RACE_SHARED_READ;

		if (~(c->write | c->read) & HD_TAG_BYTES)
			return false; /* not all of it has a history */

		if (set != mine)
			set = hd_lockset_meet(r->sets, set, mine);
		state = reads_only && !a->write ? HD_RACE_SHARED_READ : HD_RACE_SHARED_WRITE;
		if (state == HD_RACE_SHARED_WRITE && set == HD_LOCKSET_EMPTY)
			return false; /* to be told */
	}
	m->lockset = state | set << HD_RACE_STATE_BITS;
	if (a->write) {
		*c = (struct hd_cell){ .write = tag };
		m->write_site = hd_race_site_of(r, a);
	} else {
		c->read = tag;
		m->read_site = hd_race_site_of(r, a);
	}
	return true;
}

/* Bytes of four, on a page that is divided. */
static void access_cell(struct hd_race *r, struct hd_race_access *a, struct hd_shadow_page *p,
			uint64_t addr, uint64_t bytes, bool wide)
{
	uint64_t cell_addr = addr & ~3ull, tag = a->who.epoch | bytes | (wide ? HD_TAG_WIDE : 0);
	struct hd_shadow_cell *c = hd_shadow_cell_at(p, addr);

	if (!a->atomic && bytes == HD_TAG_BYTES && takes_over(r, a, &c->tags, &c->more, tag))
		return;
	hd_race_touch(r, a, cell_addr, &c->tags, &c->more, tag);
	if (a->atomic)
		hd_race_put_atomic(r, a, cell_addr, &c->more, tag);
	else if (c->more.extra & HD_EXTRA_ATOMIC)
		hd_race_check_atomics(r, a, cell_addr, bytes);
}

/* A cell, or the half of it that it is about. */
static inline void access_whole(struct hd_race *r, struct hd_race_access *a, uint64_t addr,
				struct hd_shadow_cell *c, uint64_t tag)
{
	if (!takes_over(r, a, &c->tags, &c->more, tag))
		hd_race_touch(r, a, addr, &c->tags, &c->more, tag);
}

/*
 * The same of the first of the bytes from @addr to @end, on a page that is not divided. Returns how
 * many they are; 0: it must be.
 */
static uint64_t access_undivided(struct hd_race *r, struct hd_race_access *a,
				 struct hd_shadow_page *p, uint64_t addr, uint64_t end)
{
	struct hd_shadow_cell *c = hd_shadow_cell_at(p, addr);
	bool whole = !(addr & 7) && end - addr >= 8;
	uint64_t part = whole ? 0 : hd_race_part(addr);

	if (a->atomic || (addr & 3) || end - addr < 4 || !hd_race_fits(&c->tags, part))
		return 0;
	access_whole(r, a, addr, c, a->who.epoch | HD_TAG_BYTES | part);
	return whole ? 8 : 4;
}

/* The first of the bytes from @addr to @end, as many as one cell has. Returns where the next are. */
static uint64_t access_first(struct hd_race *r, struct hd_race_access *a, uint64_t addr,
			     uint64_t end, bool wide)
{
	struct hd_shadow_page *p = hd_shadow_get(&r->shadow, addr);
	uint64_t next = (addr & ~3ull) + 4, bytes = HD_TAG_BYTES, done;

	done = p ? hd_race_narrow_access(r, a, p, addr, end) : 0;
	if (done)
		return addr + done;
	if (!p || !hd_race_spread(r, p)) {
		r->failed = true;
		return end;
	}
	done = p->odd ? 0 : access_undivided(r, a, p, addr, end);
	if (done)
		return addr + done;
	if (!hd_race_divide(r, p))
		return end;
	bytes = bytes << (addr & 3) & HD_TAG_BYTES;
	if (next > end)
		bytes &= HD_TAG_BYTES >> (next - end);
	access_cell(r, a, p, addr, bytes, wide);
	return next;
}

bool hd_race_access_page(struct hd_race *r, struct hd_race_access *a, uint64_t addr)
{
	struct hd_shadow_page *p = hd_shadow_get(&r->shadow, addr);

	if (!p)
		return false;
	/* A table of readers cannot be shared by hundreds of cells: those are spread. */
	if (!p->uniform || p->narrow ||
	    (!a->write && p->all.tags.read &&
	     hd_race_slot(p->all.tags.read) != hd_race_slot(a->who.epoch) &&
	     !hd_race_before(a->who.full, p->all.tags.read)))
		return false;
	hd_race_touch(r, a, addr, &p->all.tags, &p->all.more, a->who.epoch | HD_TAG_BYTES);
	return true;
}

void hd_race_access_range(struct hd_race *r, struct hd_race_access *a, uint64_t addr, uint64_t len)
{
	bool wide = len == 8 && !(addr & 7);
	uint64_t end = addr + len;

	while (addr < end) {
		if (!(addr & 4095) && end - addr >= 4096 && !a->atomic &&
		    hd_race_access_page(r, a, addr))
			addr += 4096;
		else
			addr = access_first(r, a, addr, end, wide && !(addr & 7));
	}
}

static inline bool hd_race_who_is(struct hd_race *r, uint32_t thread, struct hd_race_who *w)
{
	struct hd_race_thread *t = hd_race_thread_at(r, thread);
	struct hd_hb_now now = hd_hb_now(r->hb, thread);

	if (!t || !now.slot)
		return false;
	/* One by one: a literal would be put together elsewhere first, and copied. */
	w->full = now.full;
	w->weak = now.weak;
	w->locks = t->locks;
	w->exclusive = t->exclusive;
	w->epoch = (uint64_t)hd_vc_get(now.full, now.slot) << 32 | (uint64_t)now.slot << 12;
	return true;
}

bool hd_race_access_of(struct hd_race *r, struct hd_race_access *a, const struct hd_event *ev,
		       uint64_t index)
{
	*a = (struct hd_race_access){ .ev = ev, .index = index };
	return hd_race_who_is(r, ev->thread, &a->who);
}

static bool plain_access(struct hd_race *r, const struct hd_event *ev, uint64_t index, bool write)
{
	bool range = ev->op == HD_OP_READ_RANGE || ev->op == HD_OP_WRITE_RANGE;
	struct hd_race_access a;

	if (!hd_race_access_of(r, &a, ev, index))
		return false;
	a.write = write;
	hd_race_access_range(r, &a, ev->addr, range ? ev->value : ev->size);
	return !r->failed;
}

/*
 * The access happens before what the operation releases and after what it
 * acquires: so it has the thread's time from before, and is compared with the
 * clocks from after.
 */
static bool atomic_access(struct hd_race *r, const struct hd_event *ev, uint64_t index)
{
	struct hd_race_access a;
	uint64_t epoch;

	if (!hd_race_access_of(r, &a, ev, index))
		return false;
	epoch = a.who.epoch;
	if (!hd_hb_event(r->hb, ev) || !hd_race_access_of(r, &a, ev, index))
		return false;
	a.who.epoch = epoch;
	a.atomic = true;
	a.write = ev->op == HD_OP_ATOMIC_STORE || ev->op == HD_OP_ATOMIC_RMW;
	hd_race_access_range(r, &a, ev->addr, ev->size);
	return !r->failed;
}

/* ---- events -------------------------------------------------------------- */

/* The locks that a thread holds after taking or giving back @lock. */
static inline void note_lock(struct hd_race *r, struct hd_race_thread *t, bool taken, uint64_t lock,
			     bool exclusive)
{
	bool same = lock == t->taken.lock && t->taken.then != t->taken.locks;

	if (taken && same && t->locks == t->taken.locks && exclusive == t->taken.alone) {
		t->locks = t->taken.then;
		t->exclusive = t->taken.then_exclusive;
	} else if (taken) {
		t->taken.lock = lock;
		t->taken.alone = exclusive;
		t->taken.locks = t->locks;
		t->taken.exclusive = t->exclusive;
		t->locks = hd_lockset_with(r->sets, t->locks, lock, exclusive);
		t->taken.then = t->locks;
		t->exclusive = hd_lockset_exclusive(r->sets, t->locks);
		t->taken.then_exclusive = t->exclusive;
	} else if (same && t->locks == t->taken.then) {
		t->locks = t->taken.locks;
		t->exclusive = t->taken.exclusive;
	} else {
		t->locks = hd_lockset_without(r->sets, t->locks, lock);
		t->exclusive = hd_lockset_exclusive(r->sets, t->locks);
	}
}

static inline __attribute__((always_inline)) bool
lock_event(struct hd_race *r, uint32_t thread, enum hd_op op, uint64_t lock, uint16_t mode)
{
	struct hd_race_thread *t = hd_race_thread_at(r, thread);

	if (!t)
		return false;
	if (mode & HD_LOCK_AGAIN)
		return true;
	note_lock(r, t, op == HD_OP_ACQUIRE, lock, !(mode & HD_LOCK_SHARED));
	return hd_hb_lock(r->hb, thread, op, lock, mode) && !hd_locksets_failed(r->sets);
}

bool hd_race_lock(struct hd_race *r, uint32_t thread, enum hd_op op, uint64_t lock, uint16_t mode,
		  struct hd_race_view *v)
{
	struct hd_race_who *w = &r->who;
	struct hd_race_thread *t;

	if (!lock_event(r, thread, op, lock, mode)) {
		hd_race_view_of(r, thread, v);
		return false;
	}
	if (mode & HD_LOCK_AGAIN)
		return true;
	t = &r->threads[thread];
	v->locks = w->locks = t->locks;
	v->exclusive = w->exclusive = t->exclusive;
	if (op == HD_OP_RELEASE)
		v->epoch = w->epoch = w->epoch + (UINT64_C(1) << 32); /* the thread's time */
	v->full = w->full->at;					      /* may have grown */
	v->full_len = w->locks <= HD_RACE_MAX_SET ? w->full->len : 0;
	return true;
}

static bool construct_event(struct hd_race *r, const struct hd_event *ev)
{
	struct hd_race_thread *t = hd_race_thread_at(r, ev->thread);
	struct hd_race_who now;

	return t && hd_hb_event(r->hb, ev) && hd_race_who_is(r, ev->thread, &now) &&
	       hd_within_note(&t->within, &r->constructs, ev, (uint32_t)(now.epoch >> 32));
}

bool hd_race_event(struct hd_race *r, const struct hd_event *ev, uint64_t index)
{
	switch (ev->op) {
	case HD_OP_READ:
	case HD_OP_READ_RANGE:
		return plain_access(r, ev, index, false);
	case HD_OP_WRITE:
	case HD_OP_WRITE_RANGE:
		return plain_access(r, ev, index, true);
	case HD_OP_ATOMIC_LOAD:
	case HD_OP_ATOMIC_STORE:
	case HD_OP_ATOMIC_RMW:
	case HD_OP_ATOMIC_CAS_FAIL:
		return atomic_access(r, ev, index);
	case HD_OP_ACQUIRE:
	case HD_OP_RELEASE:
		return lock_event(r, ev->thread, ev->op, ev->addr, ev->arg);
	case HD_OP_ALLOC:
	case HD_OP_FREE:
		hd_race_memory_event(r, ev, index);
		return !r->failed;
	case HD_OP_CONSTRUCT:
	case HD_OP_ITERATION:
		return construct_event(r, ev);
	default:
		return hd_hb_event(r->hb, ev);
	}
}

uint64_t hd_race_merged(const struct hd_race *r)
{
	return r->merged;
}

void hd_race_view_of(struct hd_race *r, uint32_t thread, struct hd_race_view *v)
{
	const struct hd_race_who *w = &r->who;

	if (!hd_race_who_is(r, thread, &r->who)) {
		r->failed = true;
		*v = (struct hd_race_view){ .pages = r->shadow.direct,
					    .places = r->places,
					    .race = r };
		return;
	}
	v->pages = r->shadow.direct;
	v->places = r->places;
	v->race = r;
	v->epoch = w->epoch;
	v->full = w->full->at;
	v->weak = w->weak->at;
	v->full_len = w->locks <= HD_RACE_MAX_SET ? w->full->len : 0;
	v->weak_len = w->weak->len;
	v->locks = w->locks;
	v->exclusive = w->exclusive;
}

bool hd_race_new_time(struct hd_race *r, uint32_t thread, struct hd_race_view *v)
{
	bool ok = hd_hb_new_time(r->hb, thread);

	hd_race_view_of(r, thread, v);
	return ok && !r->failed;
}

/* Do two halves have the same history, so that one look serves both? */
static inline bool same_history(const struct hd_shadow_cell *even, const struct hd_shadow_cell *odd)
{
	const struct hd_cell *a = &even->tags, *b = &odd->tags;
	const struct hd_cell_more *m = &even->more, *n = &odd->more;

	return a->write == (b->write | (a->write & HD_TAG_WIDE)) &&
	       a->read == (b->read | (a->read & HD_TAG_WIDE)) && !m->extra && !n->extra &&
	       m->lockset == n->lockset && m->write_site == n->write_site &&
	       m->read_site == n->read_site;
}

/* Eight bytes on a page that is divided, whose halves have the same history. */
static void access_halves(struct hd_race *r, struct hd_race_access *a, struct hd_shadow_cell *even,
			  struct hd_shadow_cell *odd)
{
	access_whole(r, a, a->ev->addr, even, a->who.epoch | HD_TAG_BYTES | HD_TAG_WIDE);
	if (even->more.extra) { /* grew a table of readers: the other one needs its own */
		hd_race_touch(r, a, a->ev->addr + 4, &odd->tags, &odd->more,
			      a->who.epoch | HD_TAG_BYTES);
		return;
	}
	*odd = *even;
	odd->tags.write &= ~HD_TAG_WIDE;
	odd->tags.read &= ~HD_TAG_WIDE;
}

bool hd_race_plain(struct hd_race *r, const struct hd_event *ev)
{
	struct hd_race_access a = {
		.ev = ev, .index = HD_NO_INDEX, .who = r->who, .write = ev->op == HD_OP_WRITE
	};
	struct hd_shadow_page *p = hd_shadow_find(&r->shadow, ev->addr);
	struct hd_shadow_cell *c;

	if (!p || p->uniform || (ev->size != 8 && ev->size != 4) || (ev->addr & (ev->size - 1))) {
		hd_race_access_range(r, &a, ev->addr, ev->size);
		return !r->failed;
	}
	c = hd_shadow_cell_at(p, ev->addr);
	if (ev->size == 8 && p->odd && same_history(c, hd_shadow_cell_at(p, ev->addr + 4)))
		access_halves(r, &a, c, hd_shadow_cell_at(p, ev->addr + 4));
	else if (!p->odd || ev->size == 8 ||
		 !takes_over(r, &a, &c->tags, &c->more, a.who.epoch | HD_TAG_BYTES))
		hd_race_access_range(r, &a, ev->addr, ev->size);
	return !r->failed;
}

struct hd_race *hd_race_new(const struct hd_race_options *o, hd_found_fn *found, void *arg)
{
	struct hd_race *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->options = *o;
	r->found = found;
	r->arg = arg;
	r->atomics.record_size = sizeof(struct hd_race_atomics);
	r->hb = hd_hb_new();
	r->sets = hd_locksets_new();
	r->nsites = r->nreaders = r->nsplits = 1; /* number 0 means none */
	if (r->hb && r->sets && hd_shadow_init(&r->shadow, o->direct) &&
	    HD_RACE_ROOM(r, r->sites, r->sites_cap, 2) &&
	    HD_RACE_ROOM(r, r->readers, r->readers_cap, 2))
		return r;
	hd_race_free(r);
	return NULL;
}

void hd_race_free(struct hd_race *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; i < r->nreaders; i++)
		free(r->readers ? r->readers[i].by_slot : NULL);
	hd_addr_map_free(&r->atomics, hd_race_drop_atomics);
	hd_shadow_free(&r->shadow);
	hd_hb_free(r->hb);
	hd_locksets_free(r->sets);
	for (uint32_t i = 0; i < r->nthreads; i++)
		free(r->threads[i].within.runs);
	free(r->threads);
	hd_intern_free(&r->constructs);
	free(r->sites);
	free(r->chains);
	free(r->readers);
	for (uint32_t i = 0; i < r->splits_cap; i++)
		free(r->splits[i]);
	free(r->splits);
	free(r->told);
	free(r);
}
